// Elements with data-poll ask the server again by themselves (hx-trigger="load delay:2s, poll").
// Those in a hidden tab, or paused by the person, hold their question until they may ask.
(() => {
  const KEY = "updates-paused";
  const RETRY_AFTER_MS = 15000;
  let paused = sessionStorage.getItem(KEY) === "yes";

  const polls = (event) => event.detail.elt?.matches?.("[data-poll]");
  const may = () => !document.hidden && !paused;

  const resume = () => {
    if (!may()) return;
    for (const element of document.querySelectorAll("[data-poll][data-held]")) {
      element.removeAttribute("data-held");
      window.htmx.trigger(element, "poll");
    }
  };

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!polls(event) || may()) return;
    event.preventDefault();
    event.detail.elt.setAttribute("data-held", "");
  });

  // The dashboard answers faults of the service with a fragment; this is for when it is away itself.
  for (const name of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
    document.addEventListener(name, (event) => {
      if (!polls(event)) return;
      const element = event.detail.elt;
      setTimeout(() => element.isConnected && window.htmx.trigger(element, "poll"), RETRY_AFTER_MS);
    });
  }

  document.addEventListener("visibilitychange", resume);

  const paint = (root) => {
    for (const button of root.querySelectorAll("[data-poll-pause]")) {
      button.hidden = false;
      button.setAttribute("aria-pressed", String(paused));
    }
  };
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-poll-pause]")) return;
    paused = !paused;
    sessionStorage.setItem(KEY, paused ? "yes" : "no");
    paint(document);
    resume();
  });
  paint(document);
  document.addEventListener("htmx:load", () => paint(document));
})();
