// Small scripts of every page, each in a block of its own.

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

// Open menus close on Escape and on a click elsewhere. An entry of the menu shows the keys.
(() => {
  const closeAll = (except) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (menu !== except) menu.open = false;
    }
  };

  for (const entry of document.querySelectorAll("[data-shows-keys]")) entry.hidden = false;

  document.addEventListener("click", (event) => {
    const menu = event.target.closest?.("details.menu");
    const showsKeys = event.target.closest?.("[data-shows-keys]");
    closeAll(showsKeys ? null : menu);
    if (!showsKeys) return;
    // The dialog gives the focus back to what has it now.
    menu.querySelector("summary").focus();
    document.getElementById("keys").showModal();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.activeElement?.closest("details.menu[open]");
    closeAll();
    menu?.querySelector("summary").focus();
  });
})();

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

// A form that came back begins where it went wrong; opened by its fold, where it stands in one.
// Whoever types already, or is in a field of their choice, stays there.
(() => {
  const wrong = document.querySelector("main [aria-invalid='true']");
  const here = document.activeElement;
  const isTyped = "defaultValue" in here && (!here.autofocus || here.value !== here.defaultValue);
  if (!wrong || isTyped) return;
  const fold = wrong.closest("details");
  if (fold) fold.open = true;
  wrong.focus();
})();
