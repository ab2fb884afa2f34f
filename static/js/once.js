// A second click on Submit does nothing while the first is under way. The server is the real guard;
// this only spares the person its answer. A button with data-sending says that instead of its own
// words meanwhile. Coming back to the page makes its forms usable again.
(() => {
  const GIVE_UP_MS = 30000;
  const buttonsOf = (form) =>
    [...form.elements].filter((element) => element.type === "submit" && element.tagName === "BUTTON");

  const ownWords = new Map();
  const saySending = (button) => {
    const value = button.dataset.sending;
    if (!value || ownWords.has(button)) return;
    ownWords.set(button, [...button.childNodes]);
    button.replaceChildren(value);
    document.dispatchEvent(new CustomEvent("announce", { detail: { value } }));
  };

  const release = (form) => {
    delete form.dataset.sent;
    for (const button of buttonsOf(form)) {
      button.disabled = false;
      button.removeAttribute("aria-busy");
      const own = ownWords.get(button);
      if (own) button.replaceChildren(...own);
      ownWords.delete(button);
    }
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post" || form.hasAttribute("hx-post")) return;
    if (form.dataset.sent) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "yes";
    // After this turn, so that the pressed button's own name and value still go out.
    setTimeout(() => {
      for (const button of buttonsOf(form)) {
        button.disabled = true;
        button.setAttribute("aria-busy", "true");
        saySending(button);
      }
    });
    setTimeout(() => release(form), GIVE_UP_MS);
  });

  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) release(form);
  });
})();
