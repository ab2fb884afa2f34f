// Elements with data-poll ask the server again by themselves (hx-trigger="load delay:2s, poll").
// Those in a hidden tab, or paused by the person, hold their question until they may ask.
//
// A pause holds in every tab until somebody resumes, or until the session ends: the pages of a
// stranger, such as the sign-in, forget it.
(() => {
  const KEY = "updates-paused";
  const RETRY_AFTER_MS = 15000;
  if (!document.querySelector("[data-poll-resume]")) localStorage.removeItem(KEY);
  const isPaused = () => localStorage.getItem(KEY) === "yes";

  const polls = (event) => event.detail.elt?.matches?.("[data-poll]");
  const may = () => !document.hidden && !isPaused();

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

  const paint = () => {
    for (const button of document.querySelectorAll("[data-poll-pause]")) {
      button.hidden = false;
      button.setAttribute("aria-pressed", String(isPaused()));
    }
    for (const button of document.querySelectorAll("[data-poll-resume]")) {
      button.hidden = !isPaused();
    }
  };
  const set = (paused) => {
    if (paused) localStorage.setItem(KEY, "yes");
    else localStorage.removeItem(KEY);
    paint();
    const detail = { value: paused ? "Updates are paused" : "Updates continue" };
    document.dispatchEvent(new CustomEvent("announce", { detail }));
    resume();
  };
  document.addEventListener("click", (event) => {
    if (event.target.closest?.("[data-poll-pause]")) set(!isPaused());
    if (event.target.closest?.("[data-poll-resume]")) {
      set(false);
      // Its button is gone now; what stands next to it takes the focus.
      document.querySelector(".me summary")?.focus();
    }
  });
  // Another tab paused or resumed.
  window.addEventListener("storage", (event) => {
    if (event.key !== KEY && event.key !== null) return;
    paint();
    resume();
  });
  paint();
  document.addEventListener("htmx:load", paint);
})();
