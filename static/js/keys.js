// `/` goes to the find box, Ctrl+K to the box and the actions of the page, `g` and a letter to an area, `j` and `k` to the next and the
// previous row of a list, `p` to recording a repayment (another one, on a receipt), `n` to writing a note, `s` to its papers, `?` shows the keys.
// Nothing while typing, nothing with a modifier: those keys are the browser's and the person's.
// It runs before the page is whole and before other scripts, so it reads the page at each key only.
// The key that a person pressed as a shortcut, or "": with a modifier, in a dialog or while text is
// composed it is none, nor for who switched shortcuts off. On a keyboard of other letters it is the
// one that stands in the same place of a Latin one.
globalThis.readPressed = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return "";
  if (document.body.dataset.keys === "off" || document.querySelector("dialog[open]")) return "";
  if (event.key.charCodeAt(0) < 128) return event.key;
  const [, place] = /^(?:Key|Digit)(.)$/.exec(event.code) ?? [];
  if (place) return place.toLowerCase();
  return event.code === "Slash" ? (event.shiftKey ? "?" : "/") : event.key;
};

(() => {
  const WAIT_MS = 1500;
  let leading = -Infinity;

  const typing = (element) =>
    element?.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element?.tagName ?? "");

  const goTo = (letter) => {
    const links = [...document.querySelectorAll("a[data-key]")];
    links.find((link) => link.dataset.key === letter)?.click();
  };

  // The links that open the records of a list, in its order. Read at each key: htmx changes lists.
  const linksOf = (list) => {
    const rows = list.querySelectorAll(":scope > tbody > tr, :scope > li");
    const links = [...rows].flatMap((row) => {
      const own = row.querySelectorAll("a.stretch[href], a[data-match]");
      return own.length ? [...own] : [row.querySelector("a[href]")];
    });
    return links.filter((link) => link?.checkVisibility());
  };

  // Below the table's head, the cells of which stay in view.
  const isInView = (link) => {
    const box = link.getBoundingClientRect();
    const head = link.closest("table")?.tHead?.querySelector("th")?.getBoundingClientRect();
    return box.top >= Math.max(0, head?.bottom ?? 0) && box.bottom <= innerHeight;
  };

  // What stands aside, such as pinned notes, is read and not gone through.
  // The focus is the mark: it is seen, a screen reader says it, and Enter opens what has it.
  const goToRow = (step) => {
    const lists = [...document.querySelectorAll("main table.rows, main .entries:not([data-aside])")].map(linksOf);
    const rowOf = (element) => element.closest("tr, li");
    const here = document.activeElement;
    for (const links of lists) {
      const at = links.includes(here)
        ? links.indexOf(here)
        : links.findIndex((link) => rowOf(link).contains(here));
      if (at === -1) continue;
      links[at + step]?.focus();
      return;
    }
    const all = lists.flat();
    (all.find(isInView) ?? all[0])?.focus();
  };

  // Where a repayment is recorded of what a link leads to: a loan, or a borrower's one open loan.
  const recordingOf = (link) =>
    /^\/apps\/[^/]+\/(loans|borrowers)\/[^/]+\/$/.test(link.pathname ?? "") &&
    `${link.pathname}repayments/new`;

  // Of the row that has the focus, else of the page's own record. Where recording is folded away,
  // it is shown with its warning first.
  const goToRecording = (event) => {
    if (!document.querySelector("#keys [data-records]")) return;
    event.preventDefault();
    const here = document.activeElement;
    const links = [here, ...(here.closest("tr, li")?.querySelectorAll("a[href]") ?? [])];
    const address = here === document.body ? "" : links.map(recordingOf).find(Boolean);
    const own = document.querySelector("main .title a[data-record], main [data-action='record-another']");
    const box = document.querySelector("[data-payment-box]");
    if (address) location.assign(address);
    else if (own?.closest("details:not([open])")) {
      own.closest("details").open = true;
      own.focus();
    } else if (own) own.click();
    else if (box) (box.querySelector("input:not([type=hidden])") ?? box).focus();
    else goToFind(event);
  };

  // What belongs to the page's own record, such as its notes or its papers.
  const goToOwn = (event, mark) => {
    const own = document.querySelector(`main [${mark}]`);
    if (!own) return;
    event.preventDefault();
    own.click();
  };

  const goToFind = (event) => {
    const find = document.getElementById("find");
    if (!find) return;
    event.preventDefault();
    find.focus();
    find.select();
  };

  // find.js lists the actions of the page first, and gives the focus back to where it was.
  const goToActions = (event) => {
    const before = document.activeElement;
    goToFind(event);
    document.dispatchEvent(new CustomEvent("actions", { detail: before }));
  };

  // An address that names a panel of this page asks to choose there: its first row has the focus.
  document.addEventListener("htmx:load", ({ detail: { elt } }) => {
    const panel = document.getElementById(location.hash.slice(1));
    if (!panel || !elt.contains(panel) || document.activeElement !== document.body) return;
    panel.querySelector("table.rows a.stretch")?.focus();
  });

  document.addEventListener("keydown", (event) => {
    const command = event.ctrlKey || event.metaKey;
    if (command && !event.altKey && (event.key === "k" || event.code === "KeyK") && !document.querySelector("dialog[open]")) {
      goToActions(event);
      return;
    }
    const key = readPressed(event);
    if (!key || typing(event.target)) return;

    const afterG = event.timeStamp - leading < WAIT_MS;
    leading = -Infinity;
    if (afterG && /^[a-z]$/.test(key)) {
      event.preventDefault();
      goTo(key);
    } else if (key === "g") {
      leading = event.timeStamp;
    } else if (key === "j" || key === "k") {
      goToRow(key === "j" ? 1 : -1);
    } else if (key === "p") {
      goToRecording(event);
    } else if (key === "n") {
      goToOwn(event, "data-note");
    } else if (key === "s") {
      goToOwn(event, "data-papers");
    } else if (key === "/") {
      goToFind(event);
    } else if (key === "?") {
      document.getElementById("keys")?.showModal();
    }
  });
})();
