// A form that came back begins where it went wrong; opened by its fold, where it stands in one.
// Whoever types already, or is in a field of their choice, stays there.
(() => {
  const wrong = document.querySelector("main [aria-invalid='true']");
  const here = document.activeElement;
  const isTyped = "defaultValue" in here && (!here.autofocus || here.value !== here.defaultValue);
  if (!wrong || isTyped) return;
  const fold = wrong.closest("details");
  if (fold) fold.open = true;
  wrong.focus();
})();
