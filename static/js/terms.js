// Terms explain themselves on hover, on focus and on a tap. Escape takes the explanation away; the
// pointer may move onto it. It is placed here, so that it never leaves the window.
(() => {
  const MARGIN = 8;
  let term = null;
  let tip = null;
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);

  const place = () => {
    const word = term.getBoundingClientRect();
    const box = tip.getBoundingClientRect();
    const right = document.documentElement.clientWidth - box.width - MARGIN;
    const left = Math.max(MARGIN, Math.min(word.left, right));
    // The figure that a term names stands below it: the explanation must not cover that.
    const above = word.top - box.height;
    const top = above >= 0 ? above : Math.min(word.bottom, window.innerHeight - box.height);
    sheet.replaceSync(`.tip:popover-open { inset: ${top}px auto auto ${left}px; }`);
  };

  const hide = () => {
    if (tip?.isConnected) tip.hidePopover();
    term = tip = null;
  };

  const show = (found) => {
    if (found === term) return;
    hide();
    const explanation = document.getElementById(found.getAttribute("aria-describedby"));
    if (!explanation?.showPopover) return;
    [term, tip] = [found, explanation];
    tip.showPopover();
    place();
  };

  const termAt = (target) => target.closest?.("button.term");

  document.addEventListener("pointerover", (event) => {
    const found = termAt(event.target);
    if (found) show(found);
    else if (tip && !tip.contains(event.target) && document.activeElement !== term) hide();
  });
  document.addEventListener("focusin", (event) => {
    const found = termAt(event.target);
    if (found) show(found);
    else hide();
  });
  // A finger does not hover, and not every browser gives a button the focus when it is tapped.
  document.addEventListener("click", (event) => {
    const found = termAt(event.target);
    if (found) show(found);
    else if (tip && !tip.contains(event.target)) hide();
  });
  document.addEventListener("focusout", () => tip?.matches(":hover") || hide());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  for (const moved of ["scroll", "resize"]) {
    window.addEventListener(moved, () => tip && (tip.isConnected ? place() : hide()), { capture: true, passive: true });
  }
})();
