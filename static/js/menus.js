// Open menus close on Escape and on a click elsewhere.
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
})();
