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
