/**
 * The tables of a match and its events, by the index of the event that comes next.
 *
 * In: stretches of a match, as the page brings them or the server hands them out. Out: whole tables. Refuses to know
 * how a table is drawn.
 *
 * @typedef {{seat: number, card: string}} LaidCard
 * @typedef {{seat: number, cards: string[]}} Meld
 * @typedef {Object} Table a position, as `/table/N.json` describes it
 * @property {number} event
 * @property {number | null} deal
 * @property {number | null} dealer
 * @property {string[][]} hands
 * @property {number[]} unseen
 * @property {{declarer: number, bid: string} | null} contract
 * @property {string | null} trump
 * @property {LaidCard[]} trick
 * @property {number[]} tricks_taken
 * @property {string[]} board
 * @property {string[][]} stones
 * @property {Meld[]} melds
 * @property {string[]} discards
 * @property {number | null} stock_count
 * @property {boolean[]} opened
 * @property {number[]} totals
 * @property {string | null} awaited
 * @property {number | null} turn
 * @property {string[] | null} legal
 * @property {boolean} is_broken
 * @property {boolean} is_over
 *
 * @typedef {Object} Act one event
 * @property {string} kind
 * @property {number | null} seat
 * @property {string} text
 * @property {string | null} card
 * @property {string[]} codes all that it says without who and when: bids, cards, points of a board
 * @property {boolean} refused
 * @property {number | string | null} at
 *
 * @typedef {{from: number, to: number, tables: Partial<Table>[], acts: (Act | null)[]}} Stretch
 */

/**
 * The whole tables of a stretch, in which each but the first holds only what differs from the one before it.
 *
 * @param {Partial<Table>[]} tables
 * @returns {Table[]}
 */
export function merged(tables) {
  const whole = [];
  for (const changes of tables) whole.push({ ...whole.at(-1), ...changes });
  return whole;
}

/**
 * The stretch that a page brings in packed form, where no server hands out tables: JSON, by zlib, in base64.
 *
 * @param {string} packed
 * @returns {Promise<Stretch>}
 */
export async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

export class Frames {
  /**
   * @param {number} count how many events there are; there is one table more
   * @param {number} chunk so many are asked for at once
   * @param {Stretch} first what is there already
   * @param {(from: number, to: number) => Promise<Stretch>} fetched asks for more; rejects where that fails
   */
  constructor(count, chunk, first, fetched) {
    this.count = count;
    this.chunk = chunk;
    this.fetched = fetched;
    /** @type {Map<number, Table>} */
    this.tables = new Map();
    /** @type {Map<number, Act | null>} */
    this.acts = new Map();
    /** @type {Map<number, Promise<void>>} */
    this.pending = new Map();
    this.keep(first);
  }

  /** @param {number} step @returns {Table | undefined} */
  table(step) {
    return this.tables.get(step);
  }

  /** The event that comes next; `null` at the end of the log. @param {number} step @returns {Act | null | undefined} */
  act(step) {
    return this.acts.get(step);
  }

  /** The events from one to before another; `undefined` while some of them are not there. */
  between(from, to) {
    const found = [];
    for (let step = from; step < to; step += 1) {
      const act = this.acts.get(step);
      if (act === undefined) return undefined;
      found.push(act);
    }
    return found;
  }

  /** Resolves once every table from one to before another is there; rejects if they cannot be fetched. */
  async load(from, to = from + 1) {
    const waits = [];
    for (let at = from - (from % this.chunk); at < Math.min(to, this.count + 1); at += this.chunk) {
      waits.push(this.loadChunk(at, Math.max(from, at), Math.min(to, at + this.chunk)));
    }
    await Promise.all(waits);
  }

  /** @private */
  async loadChunk(at, from, to) {
    let isThere = true;
    for (let step = from; step < to && isThere; step += 1) isThere = this.tables.has(step);
    if (isThere) return;
    if (!this.pending.has(at)) {
      const end = Math.min(at + this.chunk, this.count + 1);
      const arrival = this.fetched(at, end).then((stretch) => this.keep(stretch));
      this.pending.set(at, arrival.finally(() => this.pending.delete(at)));
    }
    await this.pending.get(at);
  }

  /** @private @param {Stretch} stretch */
  keep(stretch) {
    merged(stretch.tables).forEach((table, offset) => {
      this.tables.set(stretch.from + offset, table);
      this.acts.set(stretch.from + offset, stretch.acts[offset] ?? null);
    });
  }
}
