// Evidence that an address names may lie in a closed part of the page: it is opened, then shown.
(() => {
  const show = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const found = id && document.getElementById(id);
    if (!found) return;
    for (let part = found.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    found.scrollIntoView({ block: "center" });
    found.classList.add("at");
  };
  addEventListener("hashchange", show);
  show();
})();
