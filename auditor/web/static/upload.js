// Sending a log: a file can be dropped, what was chosen is told, and a button that was pressed cannot be pressed again.
// In: the form of the page. Out: the same form; without this script it does the same. Refuses to know what is in a log.

"use strict";

const form = document.querySelector("form.upload");
const zone = form.querySelector(".drop");
const file = form.querySelector("input[type=file]");
const chosen = form.querySelector(".chosen");
const button = form.querySelector("button");
const progress = form.querySelector("progress");
const status = form.querySelector("[role=status]");

function tell() {
  const [first] = file.files;
  const isTooLarge = first !== undefined && first.size > Number(form.dataset.most);
  chosen.classList.toggle("wrong", isTooLarge);
  chosen.textContent = isTooLarge ? chosen.dataset.tooLarge : first === undefined ? "" : first.name;
  file.setCustomValidity(isTooLarge ? chosen.dataset.tooLarge : "");
}

function wait(isWaiting) {
  button.disabled = isWaiting;
  progress.hidden = !isWaiting;
  status.textContent = isWaiting ? status.dataset.working : "";
}

file.addEventListener("change", tell);
form.addEventListener("submit", () => wait(true));
// Whoever comes back to the page finds it as it was left.
window.addEventListener("pageshow", () => {
  wait(false);
  tell();
});

for (const kind of ["dragover", "dragleave", "drop"]) {
  zone.addEventListener(kind, (event) => {
    event.preventDefault();
    zone.classList.toggle("over", kind === "dragover");
  });
}
zone.addEventListener("drop", (event) => {
  if (event.dataTransfer.files.length === 1) {
    file.files = event.dataTransfer.files;
    tell();
  }
});
