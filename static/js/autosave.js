// What is typed into a form with data-autosave stays in this tab until the form leads on to another
// page, and is there again when its page is opened anew. Where that page is a review (data-review),
// it is there again on the way back too. Never passwords, files or hidden fields.
// Signing out clears it (Clear-Site-Data); so does the time after which a session is over.
(() => {
  const PREFIX = "autosave-";
  const KEPT_MS = 12 * 3_600_000;
  const LEFT_OUT = ["password", "hidden", "file", "submit", "button", "reset", "image"];
  const SECRET = /password|secret|token|csrf/i;
  const begun = new WeakSet();

  // An entry is the moment, the state of the form ("open", "sent" or "reviewed"), and the fields as a
  // form sends them.
  const nameOf = (form) => PREFIX + form.dataset.autosave;
  const read = (name) => {
    const text = sessionStorage.getItem(name);
    if (text === null) return null;
    const [at, state, fields] = text.split(" ");
    return { at: Number(at), state, fields: new URLSearchParams(fields) };
  };
  const write = (name, { at, state, fields }) => sessionStorage.setItem(name, `${at} ${state} ${fields}`);
  const drop = (form) => sessionStorage.removeItem(nameOf(form));

  // The fields by name: a name may have several, such as the boxes of one choice.
  const fieldsOf = (form) => {
    const named = new Map();
    for (const field of form.elements) {
      if (!field.name || !field.matches("input, select, textarea") || SECRET.test(field.name)) continue;
      if (LEFT_OUT.includes(field.type) || field.autocomplete === "one-time-code") continue;
      named.set(field.name, [...(named.get(field.name) ?? []), field]);
    }
    return named;
  };
  const ticked = (field) => field.type === "checkbox" || field.type === "radio";
  const chosenAtFirst = (select) => {
    const marked = [...select.options].filter((option) => option.defaultSelected);
    return marked.length || select.multiple ? marked : [...select.options].slice(0, 1);
  };
  const isChanged = (field) => {
    if (ticked(field)) return field.checked !== field.defaultChecked;
    if (!field.options) return field.value !== field.defaultValue;
    const first = chosenAtFirst(field);
    return [...field.options].some((option) => option.selected !== first.includes(option));
  };
  const valuesOf = (fields) =>
    fields.flatMap((field) => {
      if (ticked(field)) return field.checked ? [field.value] : [];
      return field.multiple ? [...field.selectedOptions].map((option) => option.value) : [field.value];
    });
  const fill = (fields, values) => {
    fields.forEach((field, place) => {
      if (ticked(field)) field.checked = values.includes(field.value);
      else if (!field.options) field.value = values[place] ?? field.value;
      else {
        const wanted = field.multiple ? values : [values[place]];
        for (const option of field.options) option.selected = wanted.includes(option.value);
      }
    });
  };

  const announce = (value) =>
    document.dispatchEvent(new CustomEvent("announce", { detail: { value } }));
  const show = (form, id) => {
    const piece = document.getElementById(id)?.content.firstElementChild.cloneNode(true);
    form.querySelector(":scope > .autosave")?.remove();
    if (piece) form.prepend(piece);
    return piece;
  };

  const keep = (form) => {
    // A form that is shown again begins with what was sent: that is typed too.
    const before = "autosaveAgain" in form.dataset ? read(nameOf(form))?.fields : null;
    const typed = before ?? new URLSearchParams();
    for (const [name, fields] of fieldsOf(form)) {
      if (!fields.some(isChanged)) continue;
      typed.delete(name);
      // A choice of which nothing is ticked any more has an empty value.
      const values = valuesOf(fields);
      for (const value of values.length ? values : [""]) typed.append(name, value);
    }
    if (!String(typed)) return drop(form);
    try {
      write(nameOf(form), { at: Date.now(), state: "open", fields: typed });
    } catch {
      // The browser has no more room.
      if (!form.querySelector(":scope > .autosave")) announce(show(form, "autosave-long")?.textContent.trim());
    }
  };

  const restore = (form, kept) => {
    const named = fieldsOf(form);
    let count = 0;
    for (const name of new Set(kept.keys())) {
      const values = kept.getAll(name);
      const fields = named.get(name);
      // A field that has no place here, or that somebody was quicker to fill in, is left.
      if (!fields || fields.some(isChanged)) continue;
      fill(fields, values);
      for (const field of fields) field.closest("details")?.setAttribute("open", "");
      count += 1;
    }
    if (!count) return;
    form.dispatchEvent(new Event("restored"));
    const piece = show(form, "autosave-kept");
    piece.querySelector("button").addEventListener("click", () => {
      form.reset();
      piece.remove();
      drop(form);
      [...fieldsOf(form).values()][0]?.[0].focus();
    });
    announce(piece.querySelector("span").textContent);
  };

  const begin = () => {
    for (const form of document.querySelectorAll("form[data-autosave]")) {
      if (begun.has(form)) continue;
      begun.add(form);
      const entry = read(nameOf(form));
      if (entry && !("autosaveAgain" in form.dataset)) restore(form, entry.fields);
    }
  };

  // A form that was sent has done its work where its answer led to another page; a page of signing in
  // comes between, and an error leads nowhere. A review keeps it for the way back, and no other way.
  const settle = () => {
    const [visit] = performance.getEntriesByType("navigation");
    const hasLedOn = visit?.redirectCount > 0 && !location.pathname.startsWith("/accounts/");
    const oldest = Date.now() - KEPT_MS;
    for (const name of Object.keys(sessionStorage).filter((each) => each.startsWith(PREFIX))) {
      const entry = read(name);
      const { state } = entry;
      if (state === "sent" && hasLedOn) entry.state = document.querySelector("[data-review]") ? "reviewed" : "";
      else if (state === "sent") entry.state = "open";
      else if (state === "reviewed" && visit?.type === "navigate") entry.state = "";
      if (!entry.state || entry.at < oldest) sessionStorage.removeItem(name);
      else if (entry.state !== state) write(name, entry);
    }
  };

  const heard = (event) => {
    const form = event.target.form;
    if (form && begun.has(form)) keep(form);
  };
  document.addEventListener("input", heard);
  document.addEventListener("change", heard);
  document.addEventListener("submit", ({ target: form }) => {
    if (!begun.has(form)) return;
    const entry = read(nameOf(form));
    if (entry) write(nameOf(form), { ...entry, state: "sent" });
    // Signing in again in another tab gave the browser another token than the one in the page.
    const token = /csrftoken=([^;]+)/.exec(document.cookie)?.[1];
    if (token && form.elements.csrfmiddlewaretoken) form.elements.csrfmiddlewaretoken.value = token;
  });
  document.addEventListener("htmx:load", begin);
  settle();
  begin();
})();
