// Buttons that need a script show themselves: data-copy copies its text, data-print prints the page.
(() => {
  const show = () => {
    for (const button of document.querySelectorAll("[data-copy][hidden], [data-print][hidden]")) {
      button.hidden = false;
    }
  };

  const copy = async (button) => {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      return; // Nothing is copied, and the button does not say so: no HTTPS, or not allowed.
    }
    const detail = { value: button.dataset.copied || "Copied" };
    document.dispatchEvent(new CustomEvent("announce", { detail }));
    button.classList.add("copied");
    setTimeout(() => button.classList.remove("copied"), 2000);
  };

  document.addEventListener("click", (event) => {
    const copying = event.target.closest?.("[data-copy]");
    if (copying) copy(copying);
    if (event.target.closest?.("[data-print]")) window.print();
  });
  document.addEventListener("htmx:load", show);
  show();
})();
