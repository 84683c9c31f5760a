/**
 * The line of a match: a slider over its events, with marks where deals begin and where something is found.
 *
 * In: the course of the match. Out: the step that is pointed at. Refuses to know what is shown there.
 */

import { element, sign } from "./elements.js";

/** Marks closer than this share of the line are one. */
const CLOSEST = 0.004;

export class Timeline {
  /**
   * @param {HTMLInputElement} slider
   * @param {HTMLElement} marks
   * @param {import("./course.js").Course} course
   * @param {import("./speech.js").Speech} speech
   * @param {(step: number) => void} goTo
   */
  constructor(slider, marks, course, speech, goTo) {
    this.slider = slider;
    this.count = course.count;
    slider.max = String(course.count);
    slider.addEventListener("input", () => goTo(Number(slider.value)));
    const deals = spread(course.deals.map(([first]) => first), course.count);
    marks.append(...deals.map((step) => this.at(step, element("span", { class: "deal-mark" }))));
    const faults = course.targets.finding.filter((step) => course.isFault(step));
    const others = course.targets.finding.filter((step) => !course.isFault(step));
    for (const step of [...spread(others, course.count), ...spread(faults, course.count)]) {
      const { kind, clause } = course.at(step).find(({ kind }) => kind === "illegal") ?? course.at(step)[0];
      const title = `${speech.say("event", { event: step })}: ${speech.word(kind)}, ${clause}`;
      const link = element("a", { class: `mark ${kind}`, href: `#e${step}`, tabindex: "-1", title });
      link.setAttribute("aria-hidden", "true");
      link.append(sign(`kind-${kind}`));
      marks.append(this.at(step, link));
    }
  }

  /** @param {number} step @param {string} said the event in words */
  show(step, said) {
    this.slider.value = String(step);
    this.slider.setAttribute("aria-valuetext", said);
    this.slider.style.setProperty("--done", `${(100 * step) / Math.max(this.count, 1)}%`);
  }

  /** @private */
  at(step, mark) {
    mark.style.setProperty("--at", String(step / Math.max(this.count, 1)));
    return mark;
  }
}

/** Steps of which no two are closer than marks can be. */
function spread(steps, count) {
  const kept = [];
  for (const step of steps) if (kept.length === 0 || step - kept.at(-1) >= CLOSEST * count) kept.push(step);
  return kept;
}
