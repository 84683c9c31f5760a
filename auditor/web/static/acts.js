/**
 * The events of a deal as a list, each a link to itself.
 *
 * In: events, and what is found at them. Out: list items. Refuses to know the tables.
 */

import { element, sign } from "./elements.js";
import { parts, shortened } from "./speech.js";

/** So much of an event is told in its line. */
const LONGEST = 100;

export class ActList {
  /**
   * @param {HTMLElement} list
   * @param {import("./speech.js").Speech} speech
   * @param {import("./course.js").Course} course
   */
  constructor(list, speech, course) {
    this.list = list;
    this.speech = speech;
    this.course = course;
    this.first = -1;
    list.addEventListener("keydown", (event) => this.moveFocus(event));
  }

  /**
   * The events from `first` on.
   *
   * @param {number} first
   * @param {import("./frames.js").Act[]} acts
   */
  fill(first, acts) {
    if (this.first === first && this.list.childElementCount === acts.length) return;
    this.first = first;
    this.list.replaceChildren(...acts.map((act, offset) => this.item(first + offset, act)));
    this.list.setAttribute("start", String(first));
  }

  /** Marks the event that comes next, and brings it into sight within the list. @param {number} step */
  mark(step) {
    const { list } = this;
    const last = list.querySelector("[aria-current]");
    last?.removeAttribute("aria-current");
    last?.setAttribute("tabindex", "-1");
    const item = list.children[step - this.first];
    if (item === undefined) return;
    item.firstElementChild.setAttribute("aria-current", "step");
    item.firstElementChild.setAttribute("tabindex", "0");
    const above = item.offsetTop;
    if (above < list.scrollTop + 24 || above + item.offsetHeight > list.scrollTop + list.clientHeight - 24) {
      list.scrollTop = above - list.clientHeight / 3;
    }
  }

  /** The list is one stop of the tab key; up and down lead through it. @private */
  moveFocus(event) {
    const way = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    const other = way && event.target.closest("li")?.[way]?.firstElementChild;
    if (!other) return;
    event.preventDefault();
    other.focus();
  }

  /** @private */
  item(step, act) {
    const link = element("a", { href: `#e${step}`, tabindex: "-1" });
    link.append(element("span", { class: "number" }, String(step)));
    link.append(element("span", { class: "text" }, ...inline(shortened(act.text, LONGEST))));
    if (act.refused) link.append(element("span", { class: "refused" }, this.speech.say("refused")));
    for (const { kind, clause } of this.course.at(step)) {
      const title = `${this.speech.word(kind)}: ${clause}`;
      const mark = { class: `kind ${kind}`, role: "img", "aria-label": title, title };
      link.append(element("span", mark, sign(`kind-${kind}`)));
    }
    return element("li", {}, link);
  }
}

/** A sentence with its cards in their own direction and colour. @param {string} sentence */
export function inline(sentence) {
  return parts(sentence).map(({ text, suit }) =>
    suit === null ? text : element("bdi", { dir: "ltr", class: `code suit-${suit}` }, text),
  );
}
