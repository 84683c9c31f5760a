/**
 * What is told of a step: the event in words, what is due, what is found there.
 *
 * In: a table and the event that comes next. Out: text in the places that the page keeps for it. Refuses to know how
 * the table is drawn.
 */

import { inline } from "./acts.js";
import { chip } from "./cards.js";
import { element } from "./elements.js";
import { unmarked } from "./scene.js";
import { shortened } from "./speech.js";

/** So much of an event is told under the table. */
const LONGEST = 140;

export class Telling {
  /**
   * @param {(role: string) => HTMLElement} part the places of the page, by their role
   * @param {import("./speech.js").Speech} speech
   * @param {import("./course.js").Course} course
   */
  constructor(part, speech, course) {
    this.part = part;
    this.speech = speech;
    this.course = course;
  }

  /**
   * Tells a step, and returns the sentence for its event. While one plays fast nothing is read out.
   *
   * @param {number} step
   * @param {import("./frames.js").Table} table
   * @param {import("./frames.js").Act | null} act
   * @param {string[] | null} legal codes of what is legal, where that is shown
   * @param {boolean} isFast
   * @returns {string}
   */
  show(step, table, act, legal, isFast) {
    const found = this.course.at(step);
    const said = this.sentence(step, act, found);
    const caption = this.part("caption");
    caption.setAttribute("aria-live", isFast ? "off" : "polite");
    caption.replaceChildren(...inline(said));
    this.part("line").className = found.length > 0 ? `caption ${found[0].kind}` : "caption";
    this.part("due").textContent = act === null ? "" : this.due(table);
    const words = found.length > 0 ? [] : unmarked(legal, table);
    this.part("legal").replaceChildren(...words.map((code) => chip(code, this.speech)));
    this.part("at-event").replaceChildren(...this.findings(step, found, table.is_broken));
    return said;
  }

  /** @private */
  sentence(step, act, found) {
    const { speech } = this;
    let text = act === null ? speech.say("the-end") : shortened(act.text, LONGEST);
    if (act?.refused) text += ` (${speech.say("refused")})`;
    for (const { kind, clause } of found) {
      text = speech.say("with-finding", { text, kind: speech.word(kind), clause });
    }
    return speech.say("said", { event: step, text });
  }

  /** @private */
  due(table) {
    if (table.awaited === null || table.is_broken || table.is_over) return "";
    const word = this.speech.word(table.awaited);
    if (table.turn === null) return this.speech.say("due", { word });
    return this.speech.say("due-by", { word, seat: table.turn });
  }

  /** The findings at the event, in full, or where the next ones are. @private */
  findings(step, found, isBroken) {
    const { speech, course } = this;
    const shown = found.map(({ number }) => document.getElementById(`finding-${number}`)).filter(Boolean);
    if (shown.length > 0) return shown.map(copied);
    const ways = [];
    for (const what of ["next", "previous"]) {
      const event = course[what]("finding", step);
      if (event === undefined) continue;
      const link = element("a", { href: `#e${event}` }, speech.say(`${what}-finding`, { event }));
      ways.push(element("p", {}, link));
    }
    const said = isBroken ? "not-replayed" : step === course.count ? "the-end" : "no-finding";
    return [element("p", { class: "faint" }, speech.say(said)), ...ways];
  }
}

/** A finding as it stands below, without what may be on the page once only. */
function copied(finding) {
  const copy = finding.cloneNode(true);
  copy.removeAttribute("id");
  return copy;
}
