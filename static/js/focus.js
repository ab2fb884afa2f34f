// A form that came back begins where it went wrong; opened by its fold, where it stands in one.
(() => {
  const wrong = document.querySelector("main [aria-invalid='true']");
  if (!wrong) return;
  const fold = wrong.closest("details");
  if (fold) fold.open = true;
  wrong.focus();
})();
