// Buttons that need a script show themselves: data-copy copies its text, data-print prints the page.
(() => {
  const show = () => {
    for (const button of document.querySelectorAll("[data-copy][hidden], [data-print][hidden]")) {
      button.hidden = false;
    }
  };

  // Outside HTTPS and localhost a browser offers no clipboard, only the older way.
  const copyTheOldWay = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "heard";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };

  const copy = async (button) => {
    const text = button.dataset.copy;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copyTheOldWay(text);
      button.focus();
    }
    const detail = { value: button.dataset.copied || "Copied" };
    document.dispatchEvent(new CustomEvent("announce", { detail }));
    button.classList.add("copied");
    setTimeout(() => button.classList.remove("copied"), 2000);
  };

  document.addEventListener("click", (event) => {
    const copying = event.target.closest?.("[data-copy]");
    if (copying) copy(copying);
    if (event.target.closest?.("[data-print]")) window.print();
  });
  document.addEventListener("htmx:load", show);
  show();
})();
