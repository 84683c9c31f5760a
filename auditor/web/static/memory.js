/**
 * How somebody likes to look, kept in this browser.
 *
 * In: a wish. Out: the wishes so far. Refuses to know what comes of them.
 *
 * @typedef {{speed: string, open: boolean, legal: boolean, colours: boolean, seat: number | null}} Wishes
 */

const KEY = "auditor.viewer";
/** @type {Wishes} */
const USUAL = { speed: "1", open: true, legal: false, colours: false, seat: null };

/** @returns {Wishes} */
export function remembered() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    const known = Object.entries(kept).filter(([key]) => key in USUAL);
    return { ...USUAL, ...Object.fromEntries(known) };
  } catch {
    return { ...USUAL };
  }
}

/** @param {Wishes} wishes */
export function remember(wishes) {
  try {
    localStorage.setItem(KEY, JSON.stringify(wishes));
  } catch {
    //  Where nothing may be kept, it holds for this page.
  }
}
