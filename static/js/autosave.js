// What is typed into a form with data-autosave is sent to the dashboard as it is typed, and is there
// again when the page is opened anew. Never passwords, files or hidden fields.
(() => {
  const PAUSE_MS = 1000;
  const LEFT_OUT = ["password", "hidden", "file", "submit", "button", "reset", "image"];
  const states = new Map();
  // A page that is refreshed may be drawn before the last words have arrived: then it asks anyway,
  // a moment later.
  const HURRIED = "autosave-last-moment";
  const hurried = sessionStorage.getItem(HURRIED);
  // A form's name without the one time it was shown: it tells nothing of what it is about.
  const nameOf = (form) => form.dataset.autosave.split(".")[0];

  // The fields by name: a name may have several, such as the boxes of one choice.
  const fieldsOf = (form) => {
    const named = new Map();
    for (const field of form.elements) {
      if (!field.name || !field.matches("input, select, textarea")) continue;
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
  // Signing in again gives the browser another token than the one in the page.
  const token = (form) =>
    /csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? form.elements.csrfmiddlewaretoken?.value ?? "";

  const send = async (form, keepalive = false) => {
    const state = states.get(form);
    clearTimeout(state.timer);
    state.waits = false;
    const typed = Object.create(null);
    for (const [name, fields] of fieldsOf(form)) {
      if (fields.some(isChanged)) typed[name] = valuesOf(fields);
    }
    const body = new URLSearchParams({ form: form.dataset.autosave, fields: JSON.stringify(typed) });
    if (state.add) body.set("add", "");
    state.flight?.abort();
    state.flight = new AbortController();
    try {
      const answer = await fetch(form.dataset.autosaveUrl, {
        method: "POST", body, redirect: "manual", signal: state.flight.signal,
        // A browser takes no more than 64 kB with it.
        keepalive: keepalive && String(body).length < 60000,
        headers: { "X-CSRFToken": token(form) },
      });
      const left = answer.type === "opaqueredirect" || answer.status === 403;
      const refused = { 413: "autosave-long", 429: "autosave-often" }[answer.status] ?? "";
      const told = left ? "autosave-left" : refused;
      if (told !== state.told) {
        if (told) announce(show(form, told)?.textContent.trim());
        else form.querySelector(":scope > .autosave")?.remove();
      }
      state.told = told;
      return answer.ok;
    } catch {
      return false; // the dashboard is away for a moment, or a later word is under way
    }
  };

  const restore = async (form) => {
    const state = states.get(form);
    const when = form.dataset.autosaved;
    const address = `${form.dataset.autosaveUrl}?form=${encodeURIComponent(form.dataset.autosave)}`;
    const answer = await fetch(address).catch(() => null);
    if (!answer?.ok || answer.redirected) return;
    const kept = (await answer.json()).fields;
    const named = fieldsOf(form);
    let count = 0;
    for (const [name, values] of Object.entries(kept)) {
      const fields = named.get(name);
      // A field that has no place here, or that somebody was quicker to fill in, is left.
      if (!fields) state.add = true;
      else if (!fields.some(isChanged)) {
        fill(fields, values);
        for (const field of fields) field.closest("details")?.setAttribute("open", "");
        count += 1;
      }
    }
    if (!count) return;
    form.dispatchEvent(new Event("restored"));
    const words = `What you typed${when ? ` at ${when}` : ""} is here again.`;
    const piece = show(form, "autosave-kept");
    piece.querySelector("span").textContent = words;
    piece.querySelector("button").addEventListener("click", () => {
      form.reset();
      state.add = false;
      piece.remove();
      send(form);
      [...fieldsOf(form).values()][0]?.[0].focus();
      announce("The form is as it was at first.");
    });
    announce(words);
  };

  const begin = () => {
    for (const form of document.querySelectorAll("form[data-autosave]")) {
      if (states.has(form)) continue;
      states.set(form, { add: "autosaveAdd" in form.dataset, told: "" });
      if (hurried === nameOf(form)) {
        sessionStorage.removeItem(HURRIED);
        setTimeout(() => restore(form), PAUSE_MS);
      } else if (form.dataset.autosaved) restore(form);
    }
  };
  const heard = (event) => {
    const form = event.target.form;
    const state = form && states.get(form);
    if (!state || state.sent) return;
    clearTimeout(state.timer);
    state.waits = true;
    state.timer = setTimeout(() => send(form), PAUSE_MS);
  };

  document.addEventListener("input", heard);
  document.addEventListener("change", heard);
  window.addEventListener("pagehide", () => {
    for (const [form, state] of states) {
      if (!state.waits || state.sent) continue;
      send(form, true);
      sessionStorage.setItem(HURRIED, nameOf(form));
    }
  });
  // Before any other listener, because this may keep a form from being sent.
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      const state = states.get(form);
      if (!state) return;
      if (state.told === "autosave-left") {
        event.preventDefault();
        send(form).then((kept) => kept && form.requestSubmit(event.submitter));
        return;
      }
      // What comes after the form has led on is not kept any more: the dashboard knows by its name.
      if (state.waits) send(form, true);
      state.sent = true;
      form.querySelector("[name=autosave-form]")?.remove();
      const name = Object.assign(document.createElement("input"), {
        type: "hidden", name: "autosave-form", value: form.dataset.autosave,
      });
      form.append(name);
      const csrf = form.elements.csrfmiddlewaretoken;
      if (csrf && token(form)) csrf.value = token(form);
    },
    true,
  );
  // Back in a page that the browser had kept.
  window.addEventListener("pageshow", () => {
    for (const state of states.values()) state.sent = false;
  });
  document.addEventListener("htmx:load", begin);
  begin();
})();
