// The address names only what was chosen: empty filters and defaults are left out.
document.addEventListener("htmx:configRequest", (event) => {
  const form = event.target;
  if (form.id !== "filters") return;
  for (const [name, value] of [...event.detail.formData.entries()]) {
    if (value === "" || value === usual(form.elements[name])) event.detail.formData.delete(name);
  }
});
const usual = (field) => field?.dataset?.default ?? (field?.name === "sort" ? field.options[0].value : undefined);
// A named range and chosen moments exclude each other: the later choice wins.
document.addEventListener("change", (event) => {
  const form = event.target.closest("#filters");
  for (const name of (event.target.dataset.clears || "").split(" ")) if (form?.elements[name]) form.elements[name].value = "";
}, true);
// On a phone the choices fold away behind a button.
document.addEventListener("click", (event) => {
  const button = event.target.closest("#filters-open");
  if (!button) return;
  const open = document.getElementById("filters").classList.toggle("open");
  button.setAttribute("aria-expanded", String(open));
});
