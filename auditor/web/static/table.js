/**
 * The picture of a table: seats around it, what lies in the middle, the score above it.
 *
 * In: a table, the event that comes next and how one looks. Out: elements in the place that the page keeps for them.
 * Refuses to know where the tables come from, and which game it is.
 *
 * @typedef {import("./frames.js").Table} Table
 * @typedef {import("./frames.js").Act} Act
 * @typedef {import("./scene.js").Place} Place
 * @typedef {import("./scene.js").View} View
 */

import { boardOf } from "./board.js";
import { back, chip, face } from "./cards.js";
import { aside, element, sign } from "./elements.js";
import { boardMarks, isBare, PLACES, places, trickOf } from "./scene.js";
import { signed } from "./speech.js";

/** So many of the cards on the discard pile are seen under the top one. */
const DISCARDS_SEEN = 5;

export class TablePicture {
  /**
   * @param {HTMLElement} root
   * @param {HTMLElement} scores
   * @param {import("./speech.js").Speech} speech
   * @param {{name: string, side: number}[]} seats
   * @param {number} sideCount
   * @param {(seat: number) => void} lookFrom called with the seat that is pointed at
   */
  constructor(root, scores, speech, seats, sideCount, lookFrom) {
    this.root = root;
    this.scores = scores;
    this.speech = speech;
    this.seats = seats;
    this.sideCount = sideCount;
    this.plates = seats.map((_, seat) => this.plate(seat, lookFrom));
    this.hands = seats.map(() => element("div", { class: "hand-frame" }));
    this.sections = seats.map((_, seat) => element("section", { class: "seat" }, this.plates[seat], this.hands[seat]));
    this.centre = element("div", { class: "centre" });
    this.melds = element("div", { class: "melds" });
    root.append(...this.sections, this.centre, this.melds);
  }

  /**
   * @param {Table} table
   * @param {Act | null} act
   * @param {View} view
   * @param {Act[]} before the events of the deal up to here
   * @param {number | null} taker who took the trick that lies there
   * @param {boolean} isWrong whether the event breaks a rule
   * @param {{index: number, count: number}} deal
   */
  show(table, act, view, before, taker, isWrong, deal) {
    const seen = places(table, act, view, before);
    this.root.classList.toggle("many", seen.length > Object.keys(PLACES).length);
    this.root.dataset.has = [
      table.board.length ? "board" : "",
      table.stock_count === null ? "" : "stock",
      table.hands.some((hand) => hand.length) || table.unseen.some(Boolean) ? "hands" : "",
    ].join(" ");
    for (const place of seen) this.showSeat(place, table, isWrong);
    this.centre.replaceChildren(...this.middle(table, act, view, taker, isWrong));
    this.melds.replaceChildren(...this.meldsOf(table, act));
    this.scores.replaceChildren(...this.score(table, deal));
  }

  /** @private */
  plate(seat, lookFrom) {
    const { name, side } = this.seats[seat];
    const label = this.speech.say("look-from", { seat, name });
    const button = element("button", { type: "button", class: "who", title: label, "aria-label": label });
    const number = element("span", { class: "number" }, String(seat));
    button.append(sign(`side-${side}`), element("bdi", { class: "name" }, name), number);
    button.addEventListener("click", () => lookFrom(seat));
    return element("header", { class: "plate" }, button, element("div", { class: "badges" }));
  }

  /** @private @param {Place} place @param {Table} table */
  showSeat(place, table, isWrong) {
    const { speech } = this;
    const section = this.sections[place.seat];
    section.dataset.where = place.where;
    section.classList.toggle("on-turn", place.isTurn);
    section.setAttribute("aria-label", speech.say("seat-of", { seat: place.seat, name: this.seats[place.seat].name }));
    this.plates[place.seat].querySelector(".badges").replaceChildren(...this.badges(place, table));
    const frame = [];
    const count = place.cards.length + place.backs;
    if (count > 0) {
      const cards = place.cards.map((card) => this.held(card, isWrong));
      if (place.backs > 0) cards.push(...this.backs(place));
      const hand = element("ul", { class: "hand", "aria-label": speech.say("hand", { seat: place.seat }) }, ...cards);
      hand.style.setProperty("--seen", String(place.cards.length));
      hand.style.setProperty("--backs", String(place.backs));
      frame.push(hand);
    }
    if (place.faceDown !== null) {
      const card = face(place.faceDown, speech, [speech.say("face-down")]);
      frame.push(element("div", { class: "face-down", title: speech.say("face-down") }, card));
    }
    section.querySelector(".call")?.remove();
    if (place.call !== null) section.append(this.call(place.call));
    this.hands[place.seat].replaceChildren(...frame);
    this.hands[place.seat].dataset.count = String(count);
  }

  /** @private */
  held(card, isWrong) {
    const { speech } = this;
    const notes = [];
    if (card.isMoved) notes.push(speech.say("is-moved"));
    if (card.isLegal) notes.push(speech.say("is-legal"));
    const classes = [
      card.isLegal && "legal",
      card.isMoved && "moved",
      card.isMoved && isWrong && "wrong",
      card.isDim && "dim",
    ].filter(Boolean);
    return element("li", { class: classes.join(" ") }, face(card.code, speech, notes));
  }

  /** @private @param {Place} place */
  backs(place) {
    const said = this.speech.say("backs", { count: place.backs });
    const cards = Array.from({ length: place.backs }, () => element("li", { class: "down" }, back()));
    cards[0].append(aside(said));
    cards.at(-1).append(this.count(place.backs));
    return cards;
  }

  /** @private */
  count(number) {
    return element("span", { class: "count", "aria-hidden": "true" }, String(number));
  }

  /** @private */
  call(call) {
    const said = chip(call.code, this.speech);
    return call.isWrong
      ? element("div", { class: "call wrong" }, sign("kind-illegal"), said)
      : element("div", { class: "call" }, said);
  }

  /** @private @param {Place} place @param {Table} table */
  badges(place, table) {
    const { speech } = this;
    const found = [];
    const badge = (name, ...children) => found.push(element("span", { class: `badge ${name}` }, ...children));
    if (place.isTurn) badge("turn", speech.say("turn"));
    if (place.isDealer) badge("dealer", speech.say("dealer"));
    if (place.isDeclarer) badge("declarer", aside(speech.say("declarer")), chip(table.contract.bid, speech));
    if (place.hasOpened) badge("opened", speech.say("opened"));
    if (place.tricks > 0) badge("tricks", speech.say("tricks-taken", { count: place.tricks }));
    return found;
  }

  /** @private */
  middle(table, act, view, taker, isWrong) {
    const { speech } = this;
    const found = [];
    if (table.is_broken) found.push(element("p", { class: "state" }, speech.say("is-broken")));
    else if (table.is_over) found.push(element("p", { class: "state" }, speech.say("is-over")));
    else if (isBare(table)) found.push(element("p", { class: "state" }, speech.say("empty")));
    const trick = trickOf(table, act, view.seat, taker);
    if (trick.length > 0) found.push(this.trick(trick, act, isWrong));
    if (table.board.length > 0) found.push(this.board(table, act, view, isWrong));
    if (table.stock_count !== null) found.push(this.piles(table, act, view));
    return found;
  }

  /** @private */
  trick(cards, act, isWrong) {
    const { speech } = this;
    const items = cards.map((card) => {
      const classes = ["laid", card.isTaking && "taking", card.isOver && "over", card.isComing && "coming"];
      if (card.isComing && isWrong) classes.push("wrong");
      if (card.isComing && act.refused) classes.push("refused");
      const notes = [speech.say("seat", { seat: card.seat })];
      if (card.isTaking) notes.push(speech.say("takes"));
      if (card.isComing) notes.push(speech.say("is-moved"));
      const item = element("li", { class: classes.filter(Boolean).join(" ") }, face(card.code, speech, notes));
      item.dataset.where = card.where;
      if (card.isComing && isWrong) item.append(sign("kind-illegal", "sign flag"));
      return item;
    });
    return element("ul", { class: "trick", "aria-label": speech.say("trick") }, ...items);
  }

  /** @private */
  board(table, act, view, isWrong) {
    const { speech } = this;
    const label = table.stones
      .map((points, seat) => speech.say("stones", { seat, points: points.join(" ") || "–" }))
      .join("; ");
    const coming = act === null ? null : { points: act.codes, seat: act.seat, isWrong };
    const marks = boardMarks(view.legal, table.board);
    return boardOf(table.board, table.stones, marks, coming, `${speech.say("board")}: ${label}`);
  }

  /** @private @param {Table} table @param {Act | null} act @param {View} view */
  piles(table, act, view) {
    const { speech } = this;
    const taken = act?.kind === "draw" ? act.codes[0] : null;
    const isLegal = (name) => view.legal !== null && view.legal.includes(name);
    const pile = (name) => `pile${taken === name ? " drawn" : ""}${isLegal(name) ? " legal" : ""}`;
    const seen = table.discards.slice(-DISCARDS_SEEN);
    const more = table.discards.length - seen.length;
    const discards = element("ul", { class: "fan" }, ...seen.map((code) => element("li", {}, face(code, speech))));
    return element(
      "div",
      { class: "piles" },
      element(
        "figure",
        { class: pile("stock") },
        table.stock_count > 0 ? back() : element("span", { class: "playing-card none", "aria-hidden": "true" }),
        element("figcaption", {}, `${speech.say("stock")}: ${speech.say("cards", { count: table.stock_count })}`),
      ),
      element(
        "figure",
        { class: pile("discard") },
        seen.length > 0 ? discards : element("span", { class: "playing-card none", "aria-hidden": "true" }),
        element("figcaption", {}, `${speech.say("discards")}: ${speech.say("cards", { count: more + seen.length })}`),
      ),
    );
  }

  /** @private @param {Table} table @param {Act | null} act */
  meldsOf(table, act) {
    const { speech } = this;
    const changed = act !== null && ["add", "swap"].includes(act.kind) ? act.codes[0] : null;
    return table.melds.map(({ seat, cards }, number) => {
      const mark = sign(`side-${this.seats[seat]?.side ?? 0}`);
      const name = changed === String(number) ? "meld changed" : "meld";
      return element(
        "figure",
        { class: name, "aria-label": speech.say("meld", { meld: number, seat }) },
        element("figcaption", { "aria-hidden": "true" }, String(number), mark, String(seat)),
        element("ul", { class: "fan" }, ...cards.map((code) => element("li", {}, face(code, speech)))),
      );
    });
  }

  /** @private @param {Table} table */
  score(table, deal) {
    const { speech } = this;
    const found = [];
    const facts = element("p", { class: "deal-facts" });
    const which =
      deal.index < 0 ? speech.say("before-deals") : speech.say("deal-of", { deal: deal.index + 1, count: deal.count });
    facts.append(element("strong", {}, which));
    if (table.contract !== null) {
      const { declarer, bid } = table.contract;
      const name = element("bdi", {}, this.seats[declarer]?.name ?? "");
      facts.append(element("span", {}, `${speech.say("contract")} `, chip(bid, speech), " ", name));
    }
    if (table.trump !== null) facts.append(element("span", {}, `${speech.say("trump")} `, chip(table.trump, speech)));
    found.push(facts);
    const sides = table.totals.map((total, side) => this.sideScore(total, side, table.tricks_taken));
    found.push(element("div", { class: "sides" }, ...sides));
    return found;
  }
  /** One side's total and, where partners share tricks, how many they have. @private */
  sideScore(total, side, tricksTaken) {
    const { speech } = this;
    const members = this.seats.filter((seat) => seat.side === side);
    const names = members.flatMap((seat, at) => [at ? " + " : "", element("bdi", {}, seat.name)]);
    const tricks = tricksTaken.reduce((sum, taken, seat) => sum + (this.seats[seat]?.side === side ? taken : 0), 0);
    const areShared = tricksTaken.some(Boolean) && this.sideCount < this.seats.length;
    return element(
      "div",
      { class: `score side-${side}` },
      sign(`side-${side}`),
      element("span", { class: "names" }, ...names),
      areShared ? element("span", { class: "tricks" }, speech.say("tricks-taken", { count: tricks })) : null,
      element(
        "span",
        { class: "total" },
        aside(`${speech.say("total")} `),
        element("bdi", { dir: "ltr" }, signed(total)),
      ),
    );
  }
}
