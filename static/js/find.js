// The find page: tells the end once every place has been looked at. The panel below the find box
// shows what was opened last, and who fits what is typed; the arrow keys go through it, and Escape
// closes it until the box is entered again.
(() => {
  const found = document.getElementById("found");
  const told = document.getElementById("find-told");

  const tell = () => {
    const links = document.querySelectorAll("main [data-match]");
    const faults = document.querySelector("main [data-look=fault]");
    let words = links.length === 1 ? "1 match." : `${links.length} matches.`;
    if (!links.length) words = faults ? "Nothing found so far." : "Nothing found.";
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
        if (words) words.textContent = words.textContent.replace("Searching", "Could not search");
        look();
      });
    }
  }

  const box = document.getElementById("find");
  const panel = document.getElementById("recall");
  // Enter opens the best of the people found, unless somebody is elsewhere already. Where nobody was
  // found, it looks up as an id what was typed.
  const best =
    document.querySelector("[data-people] [data-match]") ?? document.querySelector("[data-as-id]");
  if (best && document.activeElement === document.body) best.focus();
  if (!box || !panel) return;
  // Whoever was in the box before htmx listened is answered as if they came now, with what is typed.
  document.addEventListener("DOMContentLoaded", () => {
    if (document.activeElement === box) box.dispatchEvent(new Event("focus"));
  });
  const links = () => [box, ...panel.querySelectorAll("a[href]:not([data-record])")];
  box.addEventListener("focus", () => panel.removeAttribute("hidden"));
  box.addEventListener("input", () => panel.removeAttribute("hidden"));
  box.form.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !panel.hidden) {
      const all = links();
      const next = all[all.indexOf(document.activeElement) + step];
      if (next) {
        event.preventDefault();
        next.focus();
      }
    }
    if (event.key !== "Escape" || panel.hidden) return;
    box.focus();
    panel.hidden = true;
  });
})();
