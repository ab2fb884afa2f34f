// The find page: tells the end once every place has been looked at. The panel below the find box
// shows what was opened last, who fits what is typed, and the actions of the page; the arrow keys go
// through it, and Escape closes it until the box is entered again.
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

  // The actions of the page are its own links and buttons, read each time: htmx changes the page.
  // A row's button is left out, because its words do not name the row.
  const region = panel.querySelector("[data-page-actions]");
  const list = region.querySelector("[role=listbox]");
  const ACTIONS = "main .actions :is(a[href], button), main :is(.button, button).main";
  const wordsOf = (element) =>
    (element.getAttribute("aria-label") ?? element.textContent).replace(/\s+/g, " ").trim();
  const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const isOffered = (element) =>
    !element.disabled && !element.closest("tr, li, [aria-current]") && wordsOf(element) &&
    (element.closest(".actions details") ?? element).checkVisibility();
  let actions = new Map();
  // Where the focus was before Ctrl+K; null after another way into the box.
  let before = null;

  const listActions = () => {
    const wanted = fold(box.value).split(/\s+/);
    const offered = [...document.querySelectorAll(ACTIONS)].filter(isOffered)
      .sort((one, other) => other.matches(".main") - one.matches(".main"));
    const fitting = offered.filter((element) =>
      wanted.every((part) => fold(wordsOf(element)).includes(part)));
    actions = new Map(fitting.map((element) => {
      const option = document.createElement("li");
      option.role = "option";
      option.tabIndex = -1;
      option.ariaSelected = "false";
      option.textContent = wordsOf(element);
      return [option, element];
    }));
    list.replaceChildren(...actions.keys());
    region.hidden = !actions.size;
  };
  const choose = (option) => {
    const element = actions.get(option);
    const folded = element.closest("details");
    panel.hidden = true;
    if (folded) folded.open = true;
    element.focus();
    element.click();
  };

  const open = () => {
    panel.hidden = false;
    listActions();
  };
  box.addEventListener("focus", open);
  box.addEventListener("input", open);
  box.form.addEventListener("focusout", (event) => {
    if (box.form.contains(event.relatedTarget)) return;
    before = null;
    panel.append(region);
  });
  document.addEventListener("actions", ({ detail }) => {
    if (!box.form.contains(detail)) before = detail;
    panel.prepend(region);
    open();
  });
  list.addEventListener("focusin", ({ target }) => { target.ariaSelected = "true"; });
  list.addEventListener("focusout", ({ target }) => { target.ariaSelected = "false"; });
  list.addEventListener("click", (event) => {
    event.stopPropagation();
    if (actions.has(event.target)) choose(event.target);
  });

  const links = () =>
    [box, ...panel.querySelectorAll("a[href]:not([data-record]), [role=option]")];
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
    if (actions.has(event.target)) {
      if (event.key === "Enter") {
        event.preventDefault();
        choose(event.target);
      } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
        // Whoever goes on typing is in the box again.
        event.stopPropagation();
        box.focus();
      }
    }
    if (event.key !== "Escape" || panel.hidden) return;
    box.focus();
    panel.hidden = true;
    if (before === document.body) box.blur();
    else before?.focus();
  });
})();
