/**
 * A board with stones, as a drawing.
 *
 * In: the points of a board by file and rank, the stones of each seat, what is marked. Out: an element. Refuses to know
 * which moves there are: it is told.
 */

import { drawn } from "./elements.js";

const STEP = 100;
const EDGE = 60;
const STONE = 30;

/**
 * @param {string[]} board points, a letter for the file and a number for the rank
 * @param {string[][]} stones the points of each seat's stones
 * @param {{points: string[], ways: string[][]}} marks what is legal
 * @param {{points: string[], seat: number | null, isWrong: boolean} | null} coming the points of the event that comes
 * @param {string} label
 * @returns {SVGElement}
 */
export function boardOf(board, stones, marks, coming, label) {
  const files = sorted(board.map((point) => point[0]));
  const ranks = sorted(board.map((point) => point.slice(1)));
  const place = (point) => ({
    x: EDGE + files.indexOf(point[0]) * STEP,
    y: EDGE + (ranks.length - 1 - ranks.indexOf(point.slice(1))) * STEP,
  });
  const width = 2 * EDGE + (files.length - 1) * STEP;
  const height = 2 * EDGE + (ranks.length - 1) * STEP;
  const known = (coming?.points ?? []).filter((point) => board.includes(point));
  return drawn(
    "svg",
    { class: "board", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
    ...lines(files, ranks).map(([from, to]) => line(place(from), place(to), "line")),
    ...files.map((file, at) => caption(EDGE + at * STEP, height - 8, file)),
    ...ranks.map((rank, at) => caption(14, EDGE + (ranks.length - 1 - at) * STEP + 6, rank)),
    ...board.map((point) => circle(place(point), 8, "point")),
    ...marks.ways.map(([from, to]) => way(place(from), place(to), "legal")),
    ...stones.flatMap((points, seat) => points.map((point) => stone(place(point), seat, ""))),
    ...marks.points.map((point) => circle(place(point), STONE - 6, "legal")),
    ...(known.length === 2 ? [way(place(known[0]), place(known[1]), wrong("coming", coming))] : []),
    ...(known.length === 1 ? [stone(place(known[0]), coming.seat ?? 0, wrong("coming", coming))] : []),
  );
}

/** The lines of the board: files, ranks and, on a square one with a middle, the two diagonals. */
function lines(files, ranks) {
  const found = [
    ...files.map((file) => [file + ranks[0], file + ranks.at(-1)]),
    ...ranks.map((rank) => [files[0] + rank, files.at(-1) + rank]),
  ];
  if (files.length === ranks.length && files.length % 2 === 1) {
    found.push([files[0] + ranks[0], files.at(-1) + ranks.at(-1)], [files[0] + ranks.at(-1), files.at(-1) + ranks[0]]);
  }
  return found;
}

function sorted(names) {
  return [...new Set(names)].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

function wrong(name, coming) {
  return coming.isWrong ? `${name} wrong` : name;
}

function line(from, to, name) {
  return drawn("line", { class: name, x1: from.x, y1: from.y, x2: to.x, y2: to.y });
}

function circle(at, radius, name) {
  return drawn("circle", { class: name, cx: at.x, cy: at.y, r: radius });
}

function caption(x, y, text) {
  return drawn("text", { class: "caption", x, y }, text);
}

function stone(at, seat, name) {
  return drawn(
    "g",
    { class: `stone seat-${seat} ${name}`.trim() },
    circle(at, STONE, "disc"),
    drawn("text", { x: at.x, y: at.y + 10 }, String(seat)),
  );
}

/** An arrow from the rim of one point to the rim of another. */
function way(from, to, name) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const start = { x: from.x + dx * (STONE + 2), y: from.y + dy * (STONE + 2) };
  const end = { x: to.x - dx * 14, y: to.y - dy * 14 };
  const wing = (side) => `${end.x - dx * 16 + side * dy * 10},${end.y - dy * 16 - side * dx * 10}`;
  return drawn(
    "g",
    { class: `way ${name}` },
    line(start, { x: end.x - dx * 12, y: end.y - dy * 12 }, "shaft"),
    drawn("path", { class: "head", d: `M${end.x},${end.y}L${wing(1)}L${wing(-1)}z` }),
  );
}
