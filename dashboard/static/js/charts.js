// Charts out of figures that the page carries as JSON: our colours, the viewer's zone, drawn when
// they come near the window. `pilotlight.chart` is shared with the timeline.
(() => {
  const root = document.documentElement;
  const token = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  // Plotly takes a text without a zone as it stands: so the axis shows the viewer's own.
  const date = (ms) => new Date(ms - new Date(ms).getTimezoneOffset() * 60000).toISOString().slice(0, 23);
  const plain = (text) => String(text).replace(/[<>&]/g, (c) => ({ "<": "‹", ">": "›", "&": "＆" })[c]);

  const themed = (value, key = "") => {
    if (Array.isArray(value)) return value.map((each) => themed(each, key));
    if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, themed(v, k)]));
    return /color$/i.test(key) && /^--[a-z-]+$/.test(value) ? token(value) : value;
  };
  const axis = (given) => ({
    gridcolor: token("--line"), linecolor: token("--line"), zeroline: false, fixedrange: true,
    tickfont: { size: 12, color: token("--dim") }, ...given,
  });
  const layout = (given) => {
    const ink = token("--ink"), dim = token("--dim");
    const axes = Object.fromEntries(Object.entries(given).filter(([k]) => /^[xy]axis/.test(k)).map(([k, v]) => [k, axis(v)]));
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", hovermode: "closest", dragmode: false,
      font: { family: getComputedStyle(document.body).fontFamily, size: 12, color: ink },
      hoverlabel: { bgcolor: token("--raised"), bordercolor: token("--line-strong"), font: { color: ink, size: 12 }, namelength: -1 },
      legend: { orientation: "h", x: 0, y: 1.01, yanchor: "bottom", font: { size: 12, color: dim }, itemclick: false, itemdoubleclick: false },
      ...given, ...axes,
    };
  };
  const OPTIONS = { displayModeBar: false, showSendToCloud: false, plotlyServerURL: "", responsive: true, scrollZoom: false, doubleClick: false };

  const local = ({ traces, layout: given }) => {
    if (given.xaxis?.type !== "date") return { traces, given };
    const shapes = (given.shapes || []).map((s) => ({ ...s, x0: date(s.x0), x1: date(s.x1) }));
    const xaxis = { ...given.xaxis, ...(given.xaxis.range && { range: given.xaxis.range.map(date) }) };
    return { traces: traces.map((t) => ({ ...t, x: t.x.map(date) })), given: { ...given, shapes, xaxis } };
  };
  const draw = (place) => {
    const data = document.getElementById(place.dataset.chart);
    if (!data || !window.Plotly) return;
    if (!place.classList.contains("js-plotly-plot")) place.replaceChildren();
    const { traces, given } = local(JSON.parse(data.textContent));
    Plotly.react(place, themed(traces), layout(themed(given)), OPTIONS);
  };

  const near = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) if (isIntersecting) { near.unobserve(target); draw(target); }
  }, { rootMargin: "400px" });
  const find = (within) => {
    for (const place of within.querySelectorAll("[data-chart]:not(.js-plotly-plot)")) near.observe(place);
  };
  const again = () => { for (const place of document.querySelectorAll("[data-chart].js-plotly-plot")) draw(place); };
  document.addEventListener("pilotlight:theme", again);
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", again);
  window.addEventListener("beforeprint", () => { for (const place of document.querySelectorAll("[data-chart]")) draw(place); });
  // A part that is made of what another part shows comes anew after it, unless somebody is in it.
  const renew = async (part) => {
    const answer = await fetch(part.dataset.renew);
    if (!answer.ok || answer.redirected || part.contains(document.activeElement) || part.querySelector("details[open]")) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").body.firstElementChild;
    part.replaceWith(fresh);
    pilotlight.localise(fresh);
    find(document);
  };
  // A part that would hold up its page comes right after it.
  const renewNow = () => {
    for (const part of document.querySelectorAll("[data-renew-now]")) {
      part.removeAttribute("data-renew-now");
      renew(part).catch(() => {}).then(() => { if (part.isConnected) part.textContent = part.dataset.failed; });
    }
  };
  let later = 0;
  const renewAfter = (fragments) => {
    const parts = [...document.querySelectorAll("[data-renew]")].filter((part) => fragments.some((f) => f.id === part.dataset.renewWith));
    if (!parts.length || later) return;
    later = setTimeout(() => { later = 0; parts.forEach(renew); }, 5000);
  };
  document.addEventListener("pilotlight:changed", (event) => { renewAfter(event.detail.fragments || []); find(document); });
  document.addEventListener("htmx:afterSwap", () => { renewNow(); find(document); });
  window.pilotlight.chart = { token, date, plain, layout, OPTIONS };
  renewNow();
  find(document);
})();
