// Before the first paint: the kept choice of dark or light. The button changes and keeps it.
(() => {
  const root = document.documentElement;
  const kept = localStorage.getItem("theme");
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#theme")) return;
    const light = getComputedStyle(root).colorScheme === "light";
    root.dataset.theme = light ? "dark" : "light";
    localStorage.setItem("theme", root.dataset.theme);
    document.dispatchEvent(new Event("pilotlight:theme"));
  });
})();
