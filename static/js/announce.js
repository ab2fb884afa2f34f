// Speaks changes through the one live region of the page: what a fragment carries in data-announce,
// or what the server sends as an "announce" event (HX-Trigger).
(() => {
  const region = document.getElementById("announce");
  if (!region) return;

  const say = (text) => {
    if (text && region.textContent !== text) region.textContent = text;
  };
  const sayFrom = (root) => {
    const words = [...root.querySelectorAll("[data-announce]")];
    if (root.matches?.("[data-announce]")) words.unshift(root);
    const said = words.map((element) => element.dataset.announce).filter(Boolean);
    say(said.join(". ").replaceAll(".. ", ". "));
  };

  // A region that is filled while the page loads is not read out; a moment later it is.
  setTimeout(() => sayFrom(document.body), 300);
  document.addEventListener("htmx:load", (event) => {
    if (event.detail.elt !== document.body) sayFrom(event.detail.elt);
  });
  document.addEventListener("announce", (event) => say(event.detail.value ?? event.detail.text));
})();
