/**
 * Playing cards as elements.
 *
 * In: the code of a card. Out: its element, told in words to those who listen. Refuses to know where it lies.
 */

import { element, sign } from "./elements.js";
import { rankSign } from "./speech.js";

/** @typedef {import("./speech.js").Speech} Speech */

/**
 * A card, face up; `??` is one that nobody saw. `notes` are said after its name.
 *
 * @param {string} code
 * @param {Speech} speech
 * @param {string[]} [notes]
 * @returns {HTMLElement}
 */
export function face(code, speech, notes = []) {
  const label = [speech.card(code), ...notes].join(speech.language === "ar" ? "، " : ", ");
  if (code === "??") return element("span", { class: "playing-card back unseen", role: "img", "aria-label": label });
  const isJoker = code.startsWith("JK");
  const shown = isJoker ? code.slice(3) : code;
  const [rank, suit] = shown;
  const classes = ["playing-card", isJoker ? "joker" : "", suit ? `suit-${suit}` : ""].filter(Boolean).join(" ");
  const index = element(
    "span",
    { class: "index", "aria-hidden": "true" },
    element("b", { dir: "ltr" }, shown ? rankSign(rank) : "JK"),
    sign(suit ? `suit-${suit}` : "suit-joker", "pip"),
  );
  const emblem = sign(isJoker ? "suit-joker" : `suit-${suit}`, "emblem");
  return element("span", { class: classes, role: "img", "aria-label": label }, index, emblem);
}

/** A card, face down. */
export function back() {
  return element("span", { class: "playing-card back", "aria-hidden": "true" });
}

/**
 * A code of what is legal or was called, as a small sign in a line: a card, or a bid with its trump, or a word.
 *
 * @param {string} code
 * @param {Speech} speech
 * @returns {HTMLElement}
 */
export function chip(code, speech) {
  if (/^[2-9TJQKA][CDHS]$/.test(code)) {
    const [rank, suit] = code;
    return element(
      "bdi",
      { class: `chip card-chip suit-${suit}`, dir: "ltr", title: speech.card(code) },
      rankSign(rank),
      sign(`suit-${suit}`),
      element("span", { class: "sr" }, speech.word(suit)),
    );
  }
  return element("bdi", { class: "chip" }, ...code.split(" ").map((part) => chipPart(part, speech)));
}

function chipPart(part, speech) {
  if (!["C", "D", "H", "S"].includes(part)) return element("span", {}, speech.word(part));
  return element(
    "span",
    { class: `suit-${part}` },
    sign(`suit-${part}`),
    element("span", { class: "sr" }, speech.word(part)),
  );
}
