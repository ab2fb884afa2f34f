// On a call's page one letter chooses how the call ended, and the next thing to type gets the focus.
// Nothing while typing, nothing with a modifier. What is for a promise alone shows for a promise.
(() => {
  const form = document.querySelector("form:has([data-choose])");
  if (!form) return;
  const typing = (element) => /^(TEXTAREA|SELECT)$/.test(element.tagName) ||
    (element.tagName === "INPUT" && !/^(radio|checkbox)$/.test(element.type));

  const show = () => {
    const chosen = form.querySelector("[data-choose]:checked")?.value;
    const box = form.querySelector("[data-for-promise]");
    box.hidden = chosen !== "promise";
  };

  form.addEventListener("change", show);
  show();

  document.addEventListener("keydown", (event) => {
    const key = readPressed(event);
    const radio = key && !typing(event.target) && form.querySelector(`[data-choose="${CSS.escape(key)}"]`);
    if (!radio) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    radio.checked = true;
    show();
    form.querySelector("[name=note]")?.focus();
  }, { capture: true });
})();
