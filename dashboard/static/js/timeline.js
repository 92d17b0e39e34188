// The chart of a model: columns are asked for once, and again (at most every 5 s) when rows change.
(() => {
  const place = document.getElementById("timeline");
  if (!place) return;
  const { token, date, plain, layout: themed, OPTIONS } = pilotlight.chart;
  const style = (name) => token(`--${name}`);
  const LANES = ["actions", "revisions", "probe failures", "scale", "starts"];
  const COLOUR = { ready: "warm", running: "starting", failed: "failing", aborted: "stopped", partial: "unknown" };
  let columns = null, asked = 0, later = 0;

  const steps = (name, series, colour, extra) => ({
    type: "scatter", mode: "lines", name, x: series.at.map(date), y: series.n, line: { shape: "hv", color: colour, width: 1.5, ...extra },
    hovertemplate: `%{y} ${name}<extra></extra>`,
  });
  const marks = (lane, at, says, colour, symbol) => ({
    type: "scatter", mode: "markers", name: lane, x: at.map(date), y: at.map(() => lane), yaxis: "y2", text: says.map(plain), showlegend: false,
    marker: { color: colour, symbol, size: 8, line: { width: 0 } }, hovertemplate: "%{text}<extra></extra>",
  });
  // All starts of one outcome as one broken line: a thick stroke from start to end.
  const bars = (outcome) => {
    const s = columns.starts, x = [], y = [], text = [];
    s.from.forEach((from, i) => {
      if (s.outcome[i] !== outcome) return;
      const to = s.to[i] ?? columns.until;
      const says = plain(`${s.total_s[i] === null ? pilotlight.length((to - from) / 1000) : pilotlight.length(s.total_s[i])} · ${s.says[i]}`);
      x.push(date(from), date(to), null); y.push("starts", "starts", null); text.push(says, says, "");
    });
    return { type: "scatter", mode: "lines+markers", name: outcome, x, y, yaxis: "y2", text, showlegend: false, hovertemplate: "%{text}<extra></extra>",
      line: { color: style(COLOUR[outcome]), width: 9 }, marker: { size: 9, symbol: "line-ns", color: style(COLOUR[outcome]), line: { width: 2, color: style(COLOUR[outcome]) } } };
  };

  const draw = () => {
    if (!columns || !window.Plotly) return;
    const ink = style("ink");
    const traces = [
      steps("ready", columns.ready, style("warm"), {}),
      steps("desired", columns.desired, ink, { dash: "dot" }),
      ...Object.keys(COLOUR).map(bars),
      marks("scale", columns.scale.at, columns.scale.at.map((_, i) => `${columns.scale.from[i]} → ${columns.scale.to[i]} · ${columns.scale.says[i]}`), style("cold"), "diamond"),
      marks("probe failures", columns.probes.at, columns.probes.n.map((n, i) => `≥ ${n} · ${columns.probes.says[i]}`), style("degraded"), "x"),
      marks("revisions", columns.revisions.at, columns.revisions.says, ink, "triangle-up"),
      marks("actions", columns.actions.at, columns.actions.says, style("accent"), "star"),
    ];
    traces[0].fill = "tozeroy"; traces[0].fillcolor = `${style("warm")}22`;
    const layout = themed({
      height: 330, margin: { l: 96, r: 14, t: 26, b: 36 }, dragmode: "zoom",
      xaxis: { anchor: "y2", type: "date", range: [date(columns.since), date(columns.until)], fixedrange: false },
      yaxis: { domain: [0.55, 1], rangemode: "tozero", dtick: 1, nticks: 5, title: { text: "replicas", font: { size: 12, color: style("dim") } } },
      yaxis2: { domain: [0, 0.5], type: "category", categoryorder: "array", categoryarray: LANES, range: [-0.6, 4.6] },
    });
    const most = Math.max(1, ...columns.desired.n, ...columns.ready.n);
    layout.yaxis.dtick = Math.ceil(most / 4);
    layout.yaxis.range = [0, most * 1.15];
    if (!place.classList.contains("js-plotly-plot")) place.replaceChildren();
    Plotly.react(place, traces, layout, { ...OPTIONS, doubleClick: "reset" });
  };

  const table = () => {
    const body = document.querySelector("#timeline-table tbody");
    const c = columns;
    const lines = [
      ...c.starts.from.map((at, i) => [at, "start", `${c.starts.total_s[i] === null ? "" : pilotlight.length(c.starts.total_s[i])} ${c.starts.says[i]}`]),
      ...c.scale.at.map((at, i) => [at, "scale", `${c.scale.from[i]} → ${c.scale.to[i]} · ${c.scale.says[i]}`]),
      ...c.probes.at.map((at, i) => [at, "probe failures", `≥ ${c.probes.n[i]} · ${c.probes.says[i]}`]),
      ...c.revisions.at.map((at, i) => [at, "revision", c.revisions.says[i]]),
      ...c.actions.at.map((at, i) => [at, "action", c.actions.says[i]]),
    ].sort((a, b) => b[0] - a[0]).slice(0, 500);
    body.replaceChildren(...lines.map(([at, what, says]) => {
      const row = document.createElement("tr");
      const when = document.createElement("time");
      when.dateTime = new Date(at).toISOString();
      when.dataset.form = "long";
      when.title = `${when.dateTime.replace("T", " ").slice(0, 19)} UTC`;
      for (const content of [when, what, says]) row.insertCell().append(content);
      return row;
    }));
    pilotlight.localise(body);
  };

  const fetchColumns = async () => {
    asked = Date.now();
    try {
      const answer = await fetch(place.dataset.source, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(`answered ${answer.status}`);
      columns = await answer.json();
    } catch (error) {
      if (!columns) place.textContent = `The chart's data could not be loaded (${error.message}). It is tried again with the next change.`;
      return;
    }
    draw();
    table();
  };
  document.addEventListener("pilotlight:changed", (event) => {
    if (!(event.detail.fragments || []).length || event.detail.snapshot) return;
    clearTimeout(later);
    later = setTimeout(fetchColumns, Math.max(0, asked + 5000 - Date.now()));
  });
  document.addEventListener("pilotlight:theme", draw);
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", draw);
  fetchColumns();
})();
