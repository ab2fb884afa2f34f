// The find page: tells the end once every place has been looked at. The panel below the find box,
// which shows what was opened last, closes on Escape until the box is entered anew.
(() => {
  const found = document.getElementById("found");
  const told = document.getElementById("find-told");

  const tell = () => {
    const links = found.querySelectorAll("[data-match]");
    const faults = found.querySelector("[data-look=fault]");
    let words = links.length === 1 ? "1 match." : `${links.length} matches.`;
    if (!links.length) words = faults ? "Nothing found so far." : "No match.";
    if (faults) words += " Not everything could be looked up.";
    told.textContent = words;
    document.dispatchEvent(new CustomEvent("announce", { detail: { value: words } }));
    // Enter opens the one record; whoever is somewhere else already stays there.
    if (links.length === 1 && document.activeElement === document.body) links[0].focus();
  };
  const look = () => found.querySelector("[data-look=pending]") ?? tell();

  if (found && told) {
    document.addEventListener("htmx:load", (event) => {
      if (found.contains(event.detail.elt)) look();
    });
    // The dashboard itself did not answer: the link in the line asks it again.
    for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
      document.addEventListener(name, (event) => {
        const place = event.detail.elt.closest?.("#found li");
        if (!place) return;
        place.dataset.look = "fault";
        const words = place.querySelector(".soft");
        if (words) words.textContent = words.textContent.replace("Looking", "Could not look");
        look();
      });
    }
  }

  const box = document.getElementById("find");
  const panel = document.getElementById("recall");
  if (!box || !panel) return;
  box.addEventListener("focus", () => panel.removeAttribute("hidden"));
  box.form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden) return;
    box.focus();
    panel.hidden = true;
  });
})();
