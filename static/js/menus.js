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

  const rail = document.querySelector(".rail > div");
  const current = rail?.querySelector("[aria-current]");
  if (current && rail.scrollWidth > rail.clientWidth) {
    rail.scrollLeft = current.offsetLeft - (rail.clientWidth - current.offsetWidth) / 2;
  }
})();
