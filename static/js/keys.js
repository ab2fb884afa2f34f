// `/` goes to the find box, `g` and a letter to an area or a neighbour, `?` shows the list. Nothing while typing,
// nothing with a modifier: those keys are the browser's and the person's.
(() => {
  const WAIT_MS = 1500;
  let leading = -Infinity;

  const typing = (element) =>
    element?.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element?.tagName ?? "");

  const goTo = (letter) => {
    const links = [...document.querySelectorAll("a[data-key]")];
    links.find((link) => link.dataset.key === letter)?.click();
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (typing(event.target) || document.querySelector("dialog[open]")) return;

    const afterG = event.timeStamp - leading < WAIT_MS;
    leading = -Infinity;
    if (afterG && /^[a-z]$/.test(event.key)) {
      event.preventDefault();
      goTo(event.key);
    } else if (event.key === "g") {
      leading = event.timeStamp;
    } else if (event.key === "/") {
      const find = document.getElementById("find");
      if (!find) return;
      event.preventDefault();
      find.focus();
      find.select();
    } else if (event.key === "?") {
      document.getElementById("keys")?.showModal();
    }
  });
})();
