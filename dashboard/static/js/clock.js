// What moves with time alone: local times, ages of data, starts in flight. No server is asked.
(() => {
  let ahead = Date.now() - Number(document.body.dataset.now); // our clock less the server's, ms
  if (Math.abs(ahead) < 1500) ahead = 0;
  const now = () => Date.now() - ahead;

  const length = (s) => {
    if (s < 10) return `${Math.max(0, s).toFixed(1)} s`;
    const whole = Math.round(s);
    if (whole < 60) return `${whole} s`;
    const two = (n) => String(n).padStart(2, "0");
    const h = Math.floor(whole / 3600);
    const m = Math.floor(whole / 60) % 60;
    return h ? `${h}:${two(m)}:${two(whole % 60)}` : `${m}:${two(whole % 60)}`;
  };
  const age = (s) => {
    if (s < 10) return `${Math.max(0, s).toFixed(1)} s`;
    if (s < 120) return `${Math.floor(s)} s`;
    if (s < 7200) return `${Math.floor(s / 60)} min`;
    return s < 172800 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86400)} d`;
  };

  const forms = {
    clock: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
    long: { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" },
    time: { hour: "2-digit", minute: "2-digit" },
    day: { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
  };
  const localise = (root) => {
    for (const el of root.querySelectorAll("time[datetime]:not([data-done])")) {
      const at = new Date(el.dateTime);
      const today = at.toDateString() === new Date().toDateString();
      const form = el.dataset.form === "short" ? (today ? "time" : "day") : el.dataset.form;
      el.textContent = at.toLocaleString(undefined, { hourCycle: "h23", ...forms[form] });
      el.dataset.done = "";
    }
  };

  const grow = (bar, t) => {
    const elapsed = (t - Number(bar.dataset.started)) / 1000;
    const scale = Number(bar.dataset.scale) || Math.max(Number(bar.dataset.expected) || 0, elapsed * 1.15, 1);
    for (const rect of bar.querySelectorAll("[data-from]")) {
      const from = Number(rect.dataset.from);
      const to = rect.dataset.to === "" ? Math.max(from, elapsed) : Number(rect.dataset.to);
      rect.setAttribute("x", `${(100 * from) / scale}%`);
      rect.setAttribute("width", `${Math.max(to > from ? 0.6 : 0, (100 * (to - from)) / scale)}%`);
    }
  };
  // The sentences of dashboard/charts/eta.py. A limit that is not known is "".
  const past = (limit, elapsed) => limit !== undefined && limit !== "" && elapsed > Number(limit);
  const remains = (typical, slow, elapsed) => {
    const usual = Number(typical) - elapsed;
    const most = Number(slow) - elapsed;
    if (usual > 0) return `ready in ${length(usual)}${most > usual ? `–${length(most)}` : ""}`;
    if (most > 0) return `ready within ${length(most)}`;
    return typical ? "longer than usual" : "";
  };
  const tellEta = (el, t) => {
    const { started, typical, slow, late, overdue, why } = el.dataset;
    const elapsed = (t - Number(started)) / 1000;
    const tone = past(overdue, elapsed) ? "overdue" : past(late, elapsed) ? "late" : "";
    el.classList.toggle("is-late", tone === "late");
    el.classList.toggle("is-overdue", tone === "overdue");
    el.textContent = tone === "overdue" ? `overdue: ${why}` : tone ? `late: ${length(elapsed - Number(late))} past its p95` : remains(typical, slow, elapsed);
  };

  const tick = () => {
    const t = now();
    for (const el of document.querySelectorAll("[data-elapsed]")) el.textContent = length((t - Number(el.dataset.elapsed)) / 1000);
    for (const el of document.querySelectorAll("[data-proof]")) if (el.dataset.proof) el.textContent = age((t - Number(el.dataset.proof)) / 1000);
    for (const el of document.querySelectorAll(".eta[data-started]")) tellEta(el, t);
    for (const bar of document.querySelectorAll("svg[data-started]")) grow(bar, t);
    for (const el of document.querySelectorAll("[data-until]")) el.textContent = length(Math.max(0, (Number(el.dataset.until) - t) / 1000));
  };

  const zone = document.getElementById("zone");
  if (zone) zone.textContent = new Intl.DateTimeFormat(undefined, { timeZoneName: "shortOffset" }).formatToParts(new Date()).find((p) => p.type === "timeZoneName").value.replace("GMT", "UTC");
  window.pilotlight = { now, localise, tick, length, serverNow: (ms) => { const off = Date.now() - ms; ahead = Math.abs(off) < 1500 ? 0 : off; } };
  document.addEventListener("htmx:afterSwap", () => { localise(document); tick(); });
  localise(document);
  tick();
  setInterval(() => { if (!document.hidden) tick(); }, 500);
  document.addEventListener("visibilitychange", tick);
})();
