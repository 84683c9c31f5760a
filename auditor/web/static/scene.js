/**
 * What a viewer sees of a table: whose cards, from where, and what is marked.
 *
 * In: a table before an event, the event, and how one looks at it. Out: a plain description of the picture. Refuses to
 * know how it is drawn, and which game it is: what is empty is left out.
 *
 * @typedef {import("./frames.js").Table} Table
 * @typedef {import("./frames.js").Act} Act
 *
 * @typedef {Object} View how one looks
 * @property {number} seat who sits at the bottom
 * @property {boolean} isOpen whether all hands are open
 * @property {string[] | null} legal codes of what is legal, where that is shown
 *
 * @typedef {{code: string, isLegal: boolean, isMoved: boolean, isDim: boolean}} HandCard
 *
 * @typedef {Object} Place one seat of the picture
 * @property {number} seat
 * @property {string} where bottom, right, top or left
 * @property {HandCard[]} cards those that are seen
 * @property {number} backs how many are not
 * @property {number} tricks
 * @property {boolean} isTurn
 * @property {boolean} isDealer
 * @property {boolean} isDeclarer
 * @property {boolean} hasOpened
 * @property {{code: string, isWrong: boolean} | null} call
 * @property {string | null} faceDown a card that lies face down before the seat; `??` where it is not seen
 *
 * @typedef {Object} TrickCard
 * @property {number} seat
 * @property {string} where
 * @property {string} code
 * @property {boolean} isTaking it takes the trick
 * @property {boolean} isOver the trick is complete
 * @property {boolean} isComing it is about to fall
 */

/** Where the seats sit, from the one at the bottom on; play goes round to the right. More of them sit side by side. */
export const PLACES = {
  1: ["bottom"],
  2: ["bottom", "top"],
  3: ["bottom", "right", "left"],
  4: ["bottom", "right", "top", "left"],
};

/** Events that are no calls: the auction is over, or has not begun. */
const NO_CALLS = [
  "deal", "round", "play", "trick", "score", "result", "note", "draw", "discard", "meld", "add", "swap", "return",
  "reshuffle", "place", "move",
];
/** Events at which calls are taken off the table. */
const BEGUN = ["play", "draw", "discard", "place", "move"];

/** @param {number} seat @param {number} bottom @param {number} count */
export function whereabouts(seat, bottom, count) {
  const places = PLACES[count];
  const turn = (seat - bottom + count) % count;
  return places ? places[turn] : turn === 0 ? "bottom" : "top";
}

/**
 * The seats in the order in which they are drawn and read: from the bottom on.
 *
 * @param {Table} table
 * @param {Act | null} act the event that comes next
 * @param {View} view
 * @param {Act[]} before the events of the deal up to here, as far as they are known
 * @returns {Place[]}
 */
export function places(table, act, view, before) {
  const count = table.hands.length;
  const calls = callsOf(before, count);
  const hidden = faceDownOf(table, before);
  const moving = act && act.seat !== null && !["note", "trick"].includes(act.kind) ? act : null;
  return Array.from({ length: count }, (_, turn) => {
    const seat = (view.seat + turn) % count;
    const isSeen = view.isOpen || seat === view.seat;
    const hand = table.hands[seat] ?? [];
    const isActing = moving?.seat === seat;
    const asked = view.legal !== null && (isActing || table.turn === seat) ? view.legal : null;
    return {
      seat,
      where: whereabouts(seat, view.seat, count),
      cards: isSeen ? marked(hand, asked, isActing ? movedCards(moving) : []) : [],
      backs: (isSeen ? 0 : hand.length) + (table.unseen[seat] ?? 0),
      tricks: table.tricks_taken[seat] ?? 0,
      isTurn: table.turn === seat && !table.is_broken && !table.is_over,
      isDealer: table.dealer === seat,
      isDeclarer: table.contract?.declarer === seat,
      hasOpened: table.opened[seat] === true,
      call: calls[seat],
      faceDown: hidden?.seat === seat ? (isSeen ? hidden.card : "??") : null,
    };
  });
}

/**
 * The cards in the middle, and the one that is about to fall.
 *
 * @param {Table} table
 * @param {Act | null} act
 * @param {number} bottom the seat at the bottom
 * @param {number | null} taker who took the trick that lies there
 * @returns {TrickCard[]}
 */
export function trickOf(table, act, bottom, taker) {
  const count = table.hands.length;
  const isOver = count > 0 && table.trick.length === count;
  const cards = table.trick.map(({ seat, card }) => ({
    seat,
    where: whereabouts(seat, bottom, count),
    code: card,
    isTaking: isOver && seat === taker,
    isOver,
    isComing: false,
  }));
  if (act && act.kind === "play" && act.card && act.seat !== null && act.seat < count) {
    const where = whereabouts(act.seat, bottom, count);
    cards.push({ seat: act.seat, where, code: act.card, isTaking: false, isOver: false, isComing: true });
  }
  return cards;
}

/**
 * Who took the trick that lies on the table: whose count has grown since it was not complete.
 *
 * @param {Table[]} tables this table and those before it, the latest first, as far as they are known
 * @returns {number | null}
 */
export function takerOf(tables) {
  const [now, ...earlier] = tables;
  if (now.trick.length === 0 || now.trick.length < now.hands.length) return null;
  const open = earlier.find((table) => table.trick.length < now.trick.length);
  if (open === undefined) return null;
  const taker = now.tricks_taken.findIndex((tricks, seat) => tricks > open.tricks_taken[seat]);
  return taker < 0 ? null : taker;
}

/** The points of a board that are legal, and the ways between two of them. @param {string[] | null} legal */
export function boardMarks(legal, board) {
  const points = [];
  const ways = [];
  for (const code of legal ?? []) {
    const [from, to] = code.split("-");
    if (board.includes(from) && board.includes(to)) ways.push([from, to]);
    else if (board.includes(code)) points.push(code);
  }
  return { points, ways };
}

/**
 * What is legal and cannot be marked on the table: bids, suits, words.
 *
 * @param {string[] | null} legal
 * @param {Table} table
 */
export function unmarked(legal, table) {
  const { points, ways } = boardMarks(legal, table.board);
  if (points.length > 0 || ways.length > 0) return [];
  const piles = table.stock_count === null ? [] : ["stock", "discard"];
  return (legal ?? []).filter((code) => !isCard(code) && !piles.includes(code));
}

/** Whether nothing at all lies on the table. @param {Table} table */
export function isBare(table) {
  const hands = table.hands.some((hand) => hand.length > 0) || table.unseen.some((count) => count > 0);
  return !hands && table.trick.length === 0 && table.board.length === 0 && table.stock_count === null;
}

/** Whether a code is that of a card, seen or not. @param {string} code */
function isCard(code) {
  return /^(?:\?\?|JK(?::..)?|[2-9TJQKA][CDHS])$/.test(code);
}

/** The cards that an event moves out of a hand, by the codes that they have there. @param {Act} act */
function movedCards(act) {
  if (act.kind === "draw") return [];
  return act.codes.filter(isCard).map((code) => (code.startsWith("JK:") ? "JK" : code));
}

/** A hand with what is legal and what is moved; of equal cards as many are moved as the event names. */
function marked(hand, legal, moved) {
  const left = [...moved];
  const isAsked = legal !== null && hand.some((code) => legal.includes(code));
  return hand.map((code) => {
    const at = left.indexOf(code);
    if (at >= 0) left.splice(at, 1);
    const isLegal = isAsked && legal.includes(code);
    return { code, isLegal, isMoved: at >= 0, isDim: isAsked && !isLegal && at < 0 };
  });
}

/** The last call of each seat, until the first card is played. */
function callsOf(before, count) {
  const calls = Array(count).fill(null);
  if (before.some((act) => BEGUN.includes(act.kind) && !act.refused)) return calls;
  for (const act of before) {
    if (act.seat === null || act.seat >= count || act.refused || NO_CALLS.includes(act.kind)) continue;
    const said = act.codes.filter((code) => !isCard(code)).join(" ");
    calls[act.seat] = { code: said || act.kind, isWrong: act.isWrong === true };
  }
  return calls;
}

/** The card that was laid face down as trump, while the trump is not open. */
function faceDownOf(table, before) {
  if (table.trump !== null || table.contract === null) return null;
  const laid = before.findLast((act) => act.kind === "trump" && act.card && !act.refused && !act.isWrong);
  return laid ? { seat: laid.seat, card: laid.card } : null;
}
