// Of a borrower's form, only what belongs to the chosen category is seen, and only that is sent.
(() => {
  const show = (select) => {
    for (const part of select.form?.querySelectorAll("[data-only-for]") ?? []) {
      part.hidden = part.disabled = Boolean(select.value) && part.dataset.onlyFor !== select.value;
    }
  };
  const select = document.querySelector("select[name=general-category]");
  if (!select) return;
  show(select);
  select.addEventListener("change", () => show(select));
  // What was typed before is here again (autosave.js), or thrown away.
  select.form.addEventListener("restored", () => show(select));
  select.form.addEventListener("reset", () => setTimeout(() => show(select)));
  // Back in a page that the browser had kept, with another choice.
  window.addEventListener("pageshow", () => show(select));
})();
