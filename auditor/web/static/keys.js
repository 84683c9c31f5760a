/**
 * Keys and the commands that they stand for.
 *
 * In: a key press, and the direction of writing. Out: a command, or nothing where somebody types or means the browser.
 * Refuses to know what a command does.
 */

const BY_KEY = {
  Home: "to-start", End: "to-end", PageDown: "deal-on", PageUp: "deal-back", "]": "trick-on", "[": "trick-back",
  n: "finding-on", p: "finding-back", " ": "play", o: "open", v: "seat", l: "legal", 4: "colours", c: "copy",
  "?": "help",
};
/** The same keys where another alphabet lies on them. */
const BY_CODE = {
  BracketRight: "trick-on", BracketLeft: "trick-back", KeyN: "finding-on", KeyP: "finding-back", KeyO: "open",
  KeyV: "seat", KeyL: "legal", Digit4: "colours", KeyC: "copy",
};

/**
 * @param {KeyboardEvent} event
 * @param {boolean} isRightToLeft
 * @returns {string | undefined}
 */
export function commandOf(event, isRightToLeft) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || isTyped(event)) return undefined;
  if (event.key === "ArrowRight") return isRightToLeft ? "step-back" : "step-on";
  if (event.key === "ArrowLeft") return isRightToLeft ? "step-on" : "step-back";
  if (event.key === "؟") return "help";
  const isLatin = /^[ -~]$/.test(event.key) || event.key.length > 1;
  return isLatin ? BY_KEY[event.key.length === 1 ? event.key.toLowerCase() : event.key] : BY_CODE[event.code];
}

/** Whether the key belongs to what has the focus: a field, a choice, or space on a button. */
function isTyped(event) {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches("textarea, select, dialog *")) return true;
  if (target.matches("input")) return target.type !== "range";
  return event.key === " " && target.matches("button, summary");
}
