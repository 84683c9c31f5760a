/**
 * The filter of a list: shows the rows that hold what is typed.
 *
 * In: what somebody types. Out: rows, shown or hidden. Refuses to know what is in them. Without this the field is not
 * shown and the list is whole.
 */

const form = document.querySelector('[data-role="filter"]');
const field = form.querySelector("input");
const nothing = form.querySelector('[data-role="nothing"]');
const rows = [...document.querySelectorAll('[data-role="filtered"] tbody tr')];

/** As people type: whatever the case, and without vowel marks. @param {string} text */
function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

const texts = rows.map((row) => folded(row.textContent));

function show() {
  const wanted = folded(field.value.trim());
  let isAny = false;
  rows.forEach((row, index) => {
    row.hidden = !texts[index].includes(wanted);
    isAny ||= !row.hidden;
  });
  nothing.textContent = isAny ? "" : nothing.dataset.nothing;
}

field.addEventListener("input", show);
form.addEventListener("submit", (event) => event.preventDefault());
form.hidden = false;
show();
