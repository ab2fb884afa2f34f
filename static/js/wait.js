// A page that takes longer than a moment says so: a bar at the top of this one, and a word for those
// who can't see it. A file to keep is no page, and the browser says itself that it comes.
(() => {
  const SHOW_AFTER_MS = 200;
  const GIVE_UP_MS = 60000;
  const page = document.documentElement;
  let timers = [];

  const stop = () => {
    timers.forEach(clearTimeout);
    timers = [];
    delete page.dataset.waiting;
  };
  const show = () => {
    page.dataset.waiting = "";
    const region = document.getElementById("announce");
    if (region) region.textContent = "Loading…";
  };

  addEventListener("beforeunload", () => {
    stop();
    if (document.activeElement?.closest("[download]")) return;
    timers = [setTimeout(show, SHOW_AFTER_MS), setTimeout(stop, GIVE_UP_MS)];
  });
  addEventListener("pageshow", stop);
})();
