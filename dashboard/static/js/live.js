// The socket: fragments replace the element of the same id; `order` says which rows stand where.
// A lost connection comes back by itself; a gap in the numbers asks for all that differs.
(() => {
  const kind = document.body.dataset.live;
  if (!kind) return;
  const link = document.getElementById("link");
  let socket, last, waited = 0, wanted = null, again = 0;

  const say = (state, text) => {
    link.hidden = false;
    link.className = `link ${state}`;
    link.lastElementChild.textContent = text;
  };
  const address = () => {
    const base = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/`;
    return kind === "model" ? `${base}models/${document.body.dataset.key}/${location.search}` : `${base}${kind}/${location.search}`;
  };
  const have = () => {
    const stamps = {};
    for (const el of document.querySelectorAll("[data-stamp]")) stamps[el.id] = el.dataset.stamp;
    return stamps;
  };
  const ask = () => socket.send(JSON.stringify({ have: have(), language: document.documentElement.lang }));

  const open = () => {
    clearTimeout(again);
    if (socket) { socket.onclose = null; socket.close(); }
    last = 0;
    socket = new WebSocket(address());
    let opened = false;
    socket.onopen = () => { opened = true; waited = 0; say("on", "live"); ask(); };
    socket.onmessage = (event) => take(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (event.code === 4401 || event.code === 4403) { location.reload(); return; }
      waited = Math.min(10000, waited ? waited * 2 : 500);
      say("off", "reconnecting");
      if (!opened) stillSignedIn();
      again = setTimeout(open, waited * (0.7 + 0.6 * Math.random()));
    };
  };

  // Refused before it opened: the server is away, or we are signed out; then the page says so.
  const stillSignedIn = async () => {
    try {
      const answer = await fetch(location.href, { method: "HEAD", redirect: "manual" });
      if (answer.type === "opaqueredirect" || answer.status === 403) location.reload();
    } catch { /* the server is away: the next try comes by itself */ }
  };

  const take = (message) => {
    if (message.n !== last + 1 && !message.snapshot) { ask(); return; }
    last = message.n;
    pilotlight.serverNow(message.now);
    for (const [cluster, proof] of Object.entries(message.proofs || {})) {
      for (const el of document.querySelectorAll("[data-proof-of]")) if (el.dataset.proofOf === cluster) el.dataset.proof = proof;
    }
    const fresh = new Map();
    for (const fragment of message.fragments || []) put(fragment, fresh, message.snapshot);
    if (message.order) { wanted = { order: message.order, fresh }; settle(); }
    pilotlight.tick();
    document.dispatchEvent(new CustomEvent("pilotlight:changed", { detail: message }));
  };

  const make = (html) => {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    const element = holder.content.firstElementChild;
    pilotlight.localise(holder.content);
    return element;
  };
  const put = (fragment, fresh, snapshot) => {
    const element = make(fragment.html);
    const old = document.getElementById(fragment.id);
    if (!old) { fresh.set(fragment.id, element); return; }
    const focused = old.contains(document.activeElement) ? place(old, document.activeElement) : -1;
    const open = [...old.querySelectorAll("details[open][id]")].map((d) => d.id);
    if (old.classList.contains("at")) element.classList.add("at");
    if (!snapshot && element.matches("tr")) element.classList.add("fresh");
    old.replaceWith(element);
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    if (focused >= 0) reachable(element)[focused]?.focus({ preventScroll: true });
  };
  const reachable = (root) => [...root.querySelectorAll("a, button, summary, input, select")];
  const place = (root, element) => reachable(root).indexOf(element);

  // Rows do not jump away under a pointer or a focus that was just moved: the new order waits.
  const settle = () => {
    const body = document.querySelector("#models, #rows");
    if (!wanted) return;
    const had = body ? [...body.children].map((row) => row.id) : [];
    const { order, fresh } = wanted;
    if (!body || !order.length) { if (had.length !== order.length) location.reload(); return; }
    const busy = Date.now() - touched < 4000 && (body.matches(":hover") || body.contains(document.activeElement));
    if (busy && had.length === order.length && !fresh.size) return;
    wanted = null;
    if (had.join() === order.join()) return;
    for (const id of had) if (!order.includes(id)) document.getElementById(id).remove();
    let before = body.firstElementChild;
    for (const id of order) {
      const row = document.getElementById(id) || fresh.get(id);
      if (!row) continue;
      if (row === before) { before = before.nextElementSibling; continue; }
      body.insertBefore(row, before);
    }
  };
  let touched = 0;
  for (const name of ["pointermove", "keydown", "pointerdown"]) document.addEventListener(name, () => { touched = Date.now(); }, { passive: true });
  setInterval(settle, 1000);

  document.addEventListener("htmx:pushedIntoHistory", open);
  window.addEventListener("popstate", () => location.reload());
  window.addEventListener("pagehide", () => { if (socket) { socket.onclose = null; socket.close(); } });
  window.addEventListener("pageshow", (event) => { if (event.persisted) open(); });
  open();
})();
