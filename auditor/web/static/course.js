/**
 * The course of a match: where its deals, tricks and findings begin, and from where to where one jumps.
 *
 * In: the indexes that the page brings. Out: steps. Refuses to know what happens there.
 *
 * @typedef {{number: number, event: number | null, kind: string, clause: string}} Finding
 */

/** Kinds of findings that say that something is wrong. */
const FAULTS = ["illegal", "claim", "schema"];

export class Course {
  /**
   * @param {number} count how many events there are
   * @param {[number, number, string][]} deals first and last event, and the outcome
   * @param {number[]} tricks the event that leads to each
   * @param {Finding[]} findings
   */
  constructor(count, deals, tricks, findings) {
    this.count = count;
    this.deals = deals;
    /** @type {Map<number, Finding[]>} */
    this.found = new Map();
    for (const finding of findings) {
      if (finding.event === null) continue;
      this.found.set(finding.event, [...(this.found.get(finding.event) ?? []), finding]);
    }
    const events = [...this.found.keys()].sort((one, other) => one - other);
    //  A deal is jumped to when its cards are on the table, unless there is something to say of the dealing itself.
    const dealt = deals.map(([first]) => (this.found.has(first) ? first : first + 1));
    this.targets = { deal: dealt, trick: tricks, finding: events };
  }

  /** The findings at an event. @param {number} step @returns {Finding[]} */
  at(step) {
    return this.found.get(step) ?? [];
  }

  /** @param {number} step */
  isFault(step) {
    return this.at(step).some((finding) => FAULTS.includes(finding.kind));
  }

  /** The event of the first fault; `undefined` where there is none. */
  get firstFault() {
    return this.targets.finding.find((step) => this.isFault(step));
  }

  /** Where the viewer opens: at the first fault, or with the first deal on the table. */
  get opening() {
    return this.firstFault ?? this.targets.deal[0] ?? 0;
  }

  /** The next deal, trick or finding; `undefined` where there is none. */
  next(what, step) {
    return this.targets[what].find((target) => target > step);
  }

  /** The one before. */
  previous(what, step) {
    return this.targets[what].findLast((target) => target < step);
  }

  /** Which deal is in progress before an event; -1 before the first. */
  dealAt(step) {
    return this.deals.findLastIndex(([first]) => first <= step);
  }

  /** The events of the deal in progress, with what follows up to the next: the first, and one past the last. */
  stretchAt(step) {
    const deal = this.dealAt(step);
    return [deal < 0 ? 0 : this.deals[deal][0], this.deals[deal + 1]?.[0] ?? this.count];
  }
}
