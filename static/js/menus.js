// Open menus close on Escape and on a click elsewhere; on a phone the current area comes into view.
(() => {
  const closeAll = (except) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (menu !== except) menu.open = false;
    }
  };

  document.addEventListener("click", (event) => closeAll(event.target.closest?.("details.menu")));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.activeElement?.closest("details.menu[open]");
    closeAll();
    menu?.querySelector("summary").focus();
  });

  const sidebar = document.querySelector(".sidebar > div");
  const current = sidebar?.querySelector("[aria-current]");
  if (current && sidebar.scrollWidth > sidebar.clientWidth) {
    sidebar.scrollLeft = current.offsetLeft - (sidebar.clientWidth - current.offsetWidth) / 2;
  }
})();
