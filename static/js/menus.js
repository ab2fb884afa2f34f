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
