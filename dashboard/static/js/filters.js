// The address names only what was chosen: empty filters and the default order are left out.
document.addEventListener("htmx:configRequest", (event) => {
  if (event.target.id !== "filters") return;
  for (const [name, value] of [...event.detail.formData.entries()]) {
    if (value === "" || (name === "sort" && value === "worst")) event.detail.formData.delete(name);
  }
});
// On a phone the choices fold away behind a button.
document.addEventListener("click", (event) => {
  const button = event.target.closest("#filters-open");
  if (!button) return;
  const open = document.getElementById("filters").classList.toggle("open");
  button.setAttribute("aria-expanded", String(open));
});
