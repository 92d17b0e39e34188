// Keys: / search, j k rows, Enter open, g f fleet, g s cold starts, g i incidents, g r reports, g c clusters, ? help.
(() => {
  const help = document.getElementById("help");
  let went = 0;
  const rows = () => [...document.querySelectorAll("tr.row, .row-item")];
  const step = (by) => {
    const all = rows();
    if (!all.length) return;
    const at = all.findIndex((row) => row.classList.contains("at"));
    const next = all[Math.min(all.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
    for (const row of all) row.classList.toggle("at", row === next);
    next.querySelector("a")?.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };
  const go = (name) => { const a = document.querySelector(`.top nav a[data-go="${name}"]`); if (a) location.assign(a.href); };
  const keys = {
    "/": () => { const q = document.getElementById("q"); if (q) { q.focus(); q.select(); } },
    j: () => step(1), k: () => step(-1),
    "?": () => help?.showModal(),
    g: () => { went = Date.now(); },
    f: () => { if (Date.now() - went < 1500) go("fleet"); },
    s: () => { if (Date.now() - went < 1500) go("cold-starts"); },
    i: () => { if (Date.now() - went < 1500) go("incidents"); },
    r: () => { if (Date.now() - went < 1500) go("reports"); },
    c: () => { if (Date.now() - went < 1500) go("clusters"); },
    Enter: () => document.querySelector("tr.row.at a.model")?.click(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const field = event.target.closest("input, select, textarea, [contenteditable]");
    if (field) { if (event.key === "Escape") { event.preventDefault(); field.blur(); } return; }
    if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
    if (!keys[event.key]) return;
    if (event.key !== "g") event.preventDefault();
    keys[event.key]();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("#help-open")) help?.showModal();
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
})();
