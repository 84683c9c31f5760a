/**
 * The viewer of a match: steps through its events and shows the table before each.
 *
 * In: what the page brings, and what somebody presses. Out: the page at another step. Refuses to know rules and how
 * anything is drawn: it brings tables, pictures, lists and keys together.
 */

import { ActList } from "./acts.js";
import { Course } from "./course.js";
import { element } from "./elements.js";
import { Frames, unpacked } from "./frames.js";
import { commandOf } from "./keys.js";
import { remember, remembered } from "./memory.js";
import { takerOf } from "./scene.js";
import { Speech } from "./speech.js";
import { TablePicture } from "./table.js";
import { Telling } from "./telling.js";
import { Timeline } from "./timeline.js";

/** How long a step is shown while playing, in milliseconds, at the speed 1. */
const STEP_MS = 1000;
/** The address follows so much later, for browsers count how often it changes. */
const ADDRESS_MS = 150;
/** So many tables before this one are looked through for who took the trick. */
const LOOKED_BACK = 24;

class Replay {
  /**
   * @param {HTMLElement} root
   * @param {any} page what the page brings: the course of the match, the first tables, phrases
   * @param {{words: Record<string, string>, names: string[]}} said words of the table, and names as they can be shown
   */
  constructor(root, page, said) {
    this.root = root;
    this.speech = new Speech(page.language, page.words, said.words);
    this.course = new Course(page.count, page.deals, page.tricks, page.findings);
    this.frames = new Frames(page.count, page.chunk, page.tables, (from, to) => fetched(page, from, to));
    this.seats = page.seats.map((seat, index) => ({ ...seat, name: said.names[index] }));
    this.isRightToLeft = document.dir === "rtl";
    this.wishes = remembered();
    this.seat = this.bottomSeat();
    this.isPrinted = false;
    this.step = 0;
    this.timer = 0;
    this.addressTimer = 0;
    this.part = (role) => document.querySelector(`[data-role="${role}"]`);
    this.picture = new TablePicture(
      this.part("table"), this.part("scores"), this.speech, this.seats, page.side_count, (seat) => this.lookFrom(seat),
    );
    const goTo = (step) => this.go(step);
    this.timeline = new Timeline(this.part("slider"), this.part("marks"), this.course, this.speech, goTo);
    this.telling = new Telling(this.part, this.speech, this.course);
    this.list = new ActList(this.part("acts"), this.speech, this.course);
    this.rows = [...document.querySelectorAll(".ledger tbody tr[data-first]")];
    this.listen();
    this.applyWishes();
    root.hidden = false;
    const asked = askedFor(location.hash);
    this.go(asked ?? this.course.opening, { isSilent: true });
    // A page that opens at an event or at a fault shows the table; one that opens at the start shows its head.
    if (asked !== null || this.course.firstFault !== undefined) this.root.scrollIntoView({ block: "start" });
  }

  /** Shows the table before an event. @param {number} step */
  async go(step, { isSilent = false } = {}) {
    this.step = Math.max(0, Math.min(step, this.course.count));
    const wanted = this.step;
    this.timeline.show(wanted, this.speech.say("event", { event: wanted }));
    if (!isSilent) this.follow();
    if (this.frames.table(wanted) === undefined) this.part("caption").textContent = this.speech.say("loading");
    if (!(await this.fetch(wanted)) || wanted !== this.step) return;
    this.draw();
    const [first, end] = this.course.stretchAt(wanted);
    if (this.frames.between(first, end) === undefined) {
      if (!(await this.fetch(first, end)) || wanted !== this.step) return;
      this.draw();
    }
    this.frames.load(Math.min(wanted + this.frames.chunk, this.course.count)).catch(() => {});
  }

  /** Whether the tables are there, or could be fetched. @private */
  async fetch(from, to = from + 1) {
    try {
      await this.frames.load(from, Math.max(to, from + 1));
    } catch {
      this.part("failure").hidden = false;
      this.stop();
      return false;
    }
    this.part("failure").hidden = true;
    return true;
  }

  /** @private */
  draw() {
    const { step, frames, course } = this;
    const table = frames.table(step);
    const act = frames.act(step);
    const [first, end] = course.stretchAt(step);
    const found = course.at(step);
    const isWrong = found.some(({ kind }) => kind === "illegal");
    const legal = this.legalAt(step) ?? (this.wishes.legal ? table.legal : null);
    const view = { seat: this.seat, isOpen: this.wishes.open || this.isPrinted, legal };
    const before = frames
      .between(first, step)
      ?.map((each, offset) => ({ ...each, isWrong: course.isFault(first + offset) }));
    const taker = takerOf(this.tablesBack(step));
    const deal = { index: course.dealAt(Math.max(0, step - 1)), count: course.deals.length };
    this.picture.show(table, act, view, before ?? [], taker, isWrong, deal);
    const isFast = this.timer !== 0 && Number(this.wishes.speed) > 1;
    this.timeline.show(step, this.telling.show(step, table, act, legal, isFast));
    this.part("permalink")?.replaceChildren(this.address()); // what is not stored has no address
    const acts = frames.between(first, end);
    if (acts !== undefined) this.list.fill(first, acts);
    this.list.mark(step);
    const index = course.dealAt(step);
    this.part("acts-title").textContent =
      index < 0 ? this.speech.say("acts") : this.speech.say("acts-of-deal", { deal: index + 1 });
    for (const row of this.rows) {
      const isHere = Number(row.dataset.first) <= step && step <= Number(row.dataset.last);
      row.classList.toggle("here", isHere);
    }
    this.enable();
  }

  /** What is legal at a finding, as the finding says it. @private */
  legalAt(step) {
    for (const { number } of this.course.at(step)) {
      const legal = document.getElementById(`finding-${number}`)?.dataset.legal;
      if (legal !== undefined) return JSON.parse(legal);
    }
    return null;
  }

  /** This table and those before it, the latest first, as far as they are there. @private */
  tablesBack(step) {
    const found = [];
    for (let at = step; at >= 0 && at > step - LOOKED_BACK; at -= 1) {
      const table = this.frames.table(at);
      if (table === undefined) break;
      found.push(table);
    }
    return found;
  }

  /** Buttons that lead nowhere are off; the one that has the focus keeps it. @private */
  enable() {
    for (const button of this.root.querySelectorAll("[data-command]")) {
      const [what, way] = button.dataset.command.split("-");
      if (way !== "on" && way !== "back") continue;
      button.setAttribute("aria-disabled", String(this.target(what, way) === undefined));
    }
  }

  /** Where a jump leads; `undefined` where there is nothing to go to. @private */
  target(what, way) {
    if (what === "step") {
      const step = this.step + (way === "on" ? 1 : -1);
      return step < 0 || step > this.course.count ? undefined : step;
    }
    return way === "on" ? this.course.next(what, this.step) : this.course.previous(what, this.step);
  }

  /** @private */
  listen() {
    this.root.addEventListener("click", (event) => {
      const button = event.target.closest("[data-command]");
      if (button) this.command(button.dataset.command);
    });
    document.addEventListener("keydown", (event) => {
      const command = commandOf(event, this.isRightToLeft);
      if (command === undefined || !this.isInView()) return;
      event.preventDefault();
      this.command(command);
    });
    document.addEventListener("click", (event) => {
      const link = event.target.closest('a[href^="#e"]');
      const step = link && !event.ctrlKey && !event.metaKey && !event.shiftKey ? askedFor(link.hash) : null;
      if (step === null) return;
      event.preventDefault();
      this.visit(step, link);
    });
    for (const row of this.rows) {
      row.addEventListener("click", (event) => {
        if (event.target.closest("a") === null) this.visit(this.dealt(Number(row.dataset.first)), row);
      });
      const link = row.querySelector("a");
      link.hash = `#e${this.dealt(Number(row.dataset.first))}`;
    }
    window.addEventListener("hashchange", () => {
      const step = askedFor(location.hash);
      if (step !== null && step !== this.step) this.go(step, { isSilent: true });
    });
    this.part("seat").addEventListener("change", (event) => this.lookFrom(Number(event.target.value)));
    this.part("speed").addEventListener("change", (event) => this.wish({ speed: event.target.value }));
    const printed = matchMedia("print");
    printed.addEventListener("change", () => this.print(printed.matches));
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
  }

  /** Goes to an event that somebody pointed at elsewhere on the page, so that one can come back. @private */
  visit(step, from) {
    this.stop();
    window.clearTimeout(this.addressTimer);
    history.replaceState(history.state, "", `#e${this.step}`);
    history.pushState(null, "", `#e${step}`);
    this.go(step, { isSilent: true });
    if (!this.root.contains(from)) this.root.scrollIntoView({ block: "start" });
  }

  /** @private */
  dealt(first) {
    return this.course.targets.deal[this.course.dealAt(first)] ?? first;
  }

  /** @param {string} command */
  command(command) {
    const [what, way] = command.split("-");
    if (way === "on" || way === "back") {
      this.stop();
      const step = this.target(what, way);
      if (step !== undefined) this.go(step);
      return;
    }
    const commands = {
      "to-start": () => this.go(0),
      "to-end": () => this.go(this.course.count),
      play: () => (this.timer === 0 ? this.start() : this.stop()),
      retry: () => this.go(this.step),
      open: () => this.wish({ open: !this.wishes.open }),
      legal: () => this.wish({ legal: !this.wishes.legal }),
      colours: () => this.wish({ colours: !this.wishes.colours }),
      seat: () => this.lookFrom((this.seat + 1) % this.seats.length),
      copy: () => this.copyLink(),
      print: () => window.print(),
      help: () => this.part("help").showModal(),
    };
    if (command.startsWith("to-")) this.stop();
    commands[command]();
  }

  /** Steps on until the end, or the next fault. @private */
  start() {
    if (this.step >= this.course.count) return;
    this.showPlaying(true);
    const tick = async () => {
      await this.go(this.step + 1);
      if (this.timer === 0) return;
      if (this.step >= this.course.count || this.course.isFault(this.step)) this.stop();
      else this.timer = window.setTimeout(tick, STEP_MS / Number(this.wishes.speed));
    };
    this.timer = window.setTimeout(tick, STEP_MS / Number(this.wishes.speed) / 2);
  }

  /** @private */
  stop() {
    if (this.timer === 0) return;
    window.clearTimeout(this.timer);
    this.timer = 0;
    this.showPlaying(false);
  }

  /** @private */
  showPlaying(isPlaying) {
    const button = this.root.querySelector('[data-command="play"]');
    const label = this.speech.say(isPlaying ? "pause" : "play");
    button.classList.toggle("playing", isPlaying);
    button.setAttribute("aria-label", label);
    button.title = label;
  }

  /** @private */
  wish(change) {
    this.wishes = { ...this.wishes, ...change };
    remember(this.wishes);
    this.applyWishes();
    if (this.frames.table(this.step) !== undefined) this.draw();
  }

  /** @private */
  lookFrom(seat) {
    this.seat = seat;
    this.wish({ seat });
  }

  /** @private */
  applyWishes() {
    document.documentElement.classList.toggle("four-colours", this.wishes.colours);
    this.part("seat").value = String(this.seat);
    this.part("speed").value = this.wishes.speed;
    for (const name of ["open", "legal", "colours"]) {
      this.root.querySelector(`[data-command="${name}"]`).setAttribute("aria-pressed", String(this.wishes[name]));
    }
  }

  /** The seat that was looked from last; in the log of one seat, the one whose cards are known. @private */
  bottomSeat() {
    const dealt = [...this.frames.tables.values()].find((table) => table.unseen.some(Boolean));
    const known = dealt?.unseen.flatMap((count, seat) => (count === 0 ? [seat] : [])) ?? [];
    if (known.length === 1) return known[0];
    const wished = Number(this.wishes.seat);
    return Number.isInteger(wished) && wished >= 0 && wished < this.seats.length ? wished : 0;
  }

  /** @private */
  print(isPrinted) {
    if (this.isPrinted === isPrinted) return;
    this.isPrinted = isPrinted;
    if (this.frames.table(this.step) !== undefined) this.draw();
  }

  /** Keys act while the table can be seen, or something of the viewer has the focus. @private */
  isInView() {
    if (document.querySelector("dialog[open]")) return false;
    if (this.root.contains(document.activeElement)) return true;
    const { top, bottom } = this.part("table").getBoundingClientRect();
    return bottom > 80 && top < window.innerHeight - 80;
  }

  /** The address follows the step. @private */
  follow() {
    window.clearTimeout(this.addressTimer);
    this.addressTimer = window.setTimeout(() => {
      history.replaceState(history.state, "", `#e${this.step}`);
    }, ADDRESS_MS);
  }

  /** @private */
  address() {
    return `${location.href.split("#")[0]}#e${this.step}`;
  }

  /** @private */
  async copyLink() {
    const address = this.address();
    let said = "copied";
    try {
      await navigator.clipboard.writeText(address);
    } catch {
      said = "copy-this";
    }
    const [start, end] = this.speech.say(said, { address: "\n" }).split("\n");
    this.part("copied").replaceChildren(start, element("bdi", { dir: "ltr", class: "code" }, address), end);
  }
}

/** The step that an address names, `#e137`; `null` for another one. @param {string} hash */
function askedFor(hash) {
  const match = /^#e(\d{1,9})$/.exec(hash);
  return match === null ? null : Number(match[1]);
}

/** @returns {Promise<import("./frames.js").Stretch>} */
async function fetched(page, from, to) {
  const address = new URL(page.tables_url, location.href);
  address.searchParams.set("from", String(from));
  address.searchParams.set("to", String(to));
  address.searchParams.set("lang", page.language);
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}

async function begin() {
  const page = JSON.parse(document.getElementById("viewer").textContent);
  const said = JSON.parse(document.getElementById("table-words").textContent);
  if (page.packed !== undefined) page.tables = await unpacked(page.packed);
  new Replay(document.getElementById("replay"), page, said);
}

begin();
