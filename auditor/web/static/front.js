// The drop zone: a log that is dropped on the form is chosen in its file field. Without this the field serves alone.

for (const form of document.querySelectorAll("form.drop")) {
  const field = form.querySelector("input[type=file]");
  const chosen = form.querySelector(".chosen");
  const holdsFiles = (event) => event.dataTransfer !== null && [...event.dataTransfer.types].includes("Files");

  const tell = () => {
    const name = field.files.length > 0 ? field.files[0].name : "";
    chosen.replaceChildren();
    if (name !== "") {
      const text = document.createElement("bdi");
      text.textContent = name;
      chosen.append(`${chosen.dataset.chosen} `, text);
    }
  };

  form.addEventListener("dragover", (event) => {
    if (holdsFiles(event)) {
      event.preventDefault();
      form.classList.add("over");
    }
  });
  form.addEventListener("dragleave", (event) => {
    if (!form.contains(event.relatedTarget)) form.classList.remove("over");
  });
  form.addEventListener("drop", (event) => {
    form.classList.remove("over");
    if (!holdsFiles(event)) return;
    event.preventDefault();
    const dropped = new DataTransfer();
    dropped.items.add(event.dataTransfer.files[0]);
    field.files = dropped.files;
    tell();
    form.querySelector("button").focus();
  });
  field.addEventListener("change", tell);
}
