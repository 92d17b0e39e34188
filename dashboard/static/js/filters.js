// The address names only what was chosen: empty filters and the default order are left out.
document.addEventListener("htmx:configRequest", (event) => {
  if (event.target.id !== "filters") return;
  for (const [name, value] of [...event.detail.formData.entries()]) {
    if (value === "" || (name === "sort" && value === "worst")) event.detail.formData.delete(name);
  }
});
