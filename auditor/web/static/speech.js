/**
 * What the viewer says, in the language of the page.
 *
 * In: the phrases and the table words that the page brings. Out: sentences and numbers. Refuses to know what is shown.
 *
 * @typedef {string | Record<string, string>} Phrase one text, or one for each plural category
 */

/** A card inside a sentence, as people read it, also behind a joker; or a suit by its letter, alone between spaces. */
const CARD = /(?:JK:)?(?:10|[2-9JQKA])[♣♦♥♠]|(?<= )[CDHS](?=[ ,،]|$)/g;
const SIGNS = { "♣": "C", "♦": "D", "♥": "H", "♠": "S", C: "C", D: "D", H: "H", S: "S" };
const SUITS = { C: "♣", D: "♦", H: "♥", S: "♠" };

export class Speech {
  /**
   * @param {string} language
   * @param {Record<string, Phrase>} phrases
   * @param {Record<string, string>} words
   */
  constructor(language, phrases, words) {
    this.language = language;
    this.phrases = phrases;
    this.words = words;
    this.numbers = new Intl.NumberFormat(language, { numberingSystem: "latn" });
    this.plurals = new Intl.PluralRules(language);
  }

  /**
   * A phrase with its values filled in; `count` chooses the plural.
   *
   * @param {string} key
   * @param {Record<string, string | number>} [values]
   * @returns {string}
   */
  say(key, values = {}) {
    let phrase = this.phrases[key];
    if (phrase === undefined) throw new Error(`no phrase ${key}`);
    if (typeof phrase !== "string") phrase = phrase[this.plurals.select(Number(values.count))] ?? phrase.other;
    return phrase.replace(/\{(\w+)\}/g, (_, name) => this.told(values[name]));
  }

  /** A word of the table; one that has no translation is itself. @param {string} key */
  word(key) {
    return this.words[key] ?? key;
  }

  /** @param {string | number} value */
  told(value) {
    return typeof value === "number" ? this.numbers.format(value) : value;
  }

  /** A card in words, for those who listen. @param {string} code */
  card(code) {
    if (code === "??") return this.say("unseen");
    if (code === "JK") return this.say("joker");
    if (code.startsWith("JK:")) return this.say("joker-for", { card: this.card(code.slice(3)) });
    const [rank, suit] = code;
    const name = this.phrases[`rank-${rank}`] === undefined ? rankSign(rank) : this.say(`rank-${rank}`);
    return this.say("card", { rank: name, suit: this.word(suit) });
  }
}

/** The rank as it stands on a card. @param {string} rank */
export function rankSign(rank) {
  return rank === "T" ? "10" : rank;
}

/** Points, with the sign that the pages write. @param {number} value */
export function signed(value) {
  return value < 0 ? `−${-value}` : String(value);
}

/** A sentence of which no more than some signs are kept. @param {string} sentence @param {number} longest */
export function shortened(sentence, longest) {
  if (sentence.length <= longest) return sentence;
  return `${sentence.slice(0, sentence.lastIndexOf(" ", longest - 1))} …`;
}

/**
 * A sentence in parts: text, and cards with their suit, so that each card keeps its direction and its colour.
 *
 * @param {string} sentence
 * @returns {{text: string, suit: string | null}[]}
 */
export function parts(sentence) {
  const found = [];
  let at = 0;
  for (const match of sentence.matchAll(CARD)) {
    if (match.index > at) found.push({ text: sentence.slice(at, match.index), suit: null });
    found.push({ text: SUITS[match[0]] ?? match[0], suit: SIGNS[match[0].at(-1)] });
    at = match.index + match[0].length;
  }
  if (at < sentence.length) found.push({ text: sentence.slice(at), suit: null });
  return found;
}
