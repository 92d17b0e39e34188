// The chart of a model: columns are asked for once, and again (at most every 5 s) when rows change.
(() => {
  const place = document.getElementById("timeline");
  if (!place) return;
  const { token, date, plain, layout: themed, OPTIONS } = pilotlight.chart;
  const style = (name) => token(`--${name}`);
  const LANES = ["actions", "revisions", "probe failures", "scale", "starts", "incidents"];
  // Of each hop's bars, beside its colour.
  const PATTERN = { ingress: "/", "endpoint-picker": "x", activator: "", "queue-proxy": "\\", container: "." };
  // Where each part of the chart stands, from the bottom up; without requests the replicas have their room.
  const ROOMS = { lanes: [0, 0.36], errors: [0.43, 0.63], requests: [0.68, 0.8], replicas: [0.85, 1] };
  const ROOMS_BARE = { lanes: [0, 0.52], replicas: [0.58, 1] };
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

  // An incident lasts, and an ended one of an instant is still seen.
  const spans = () => {
    const s = columns.incidents, x = [], y = [], text = [];
    s.from.forEach((from, i) => {
      const says = plain(s.says[i]);
      x.push(date(from), date(s.to[i]), null); y.push("incidents", "incidents", null); text.push(says, says, "");
    });
    return { type: "scatter", mode: "lines+markers", name: "incidents", x, y, yaxis: "y2", text, showlegend: false, hovertemplate: "%{text}<extra></extra>",
      line: { color: style("failing"), width: 9 }, marker: { size: 9, symbol: "square", color: style("failing") } };
  };
  const binned = (name, n, yaxis, marker, showlegend) => {
    const r = columns.requests, half = r.step_ms / 2;
    return { type: "bar", name, x: r.at.map((at) => date(at + half)), y: n, width: r.step_ms, yaxis, marker: { line: { width: 0 }, ...marker }, showlegend,
      text: r.says.map(plain), textposition: "none", hovertemplate: "%{text}<extra></extra>" };
  };
  const requestTraces = () => {
    const r = columns.requests;
    if (!r) return [];
    const hops = r.hops.map(({ hop, label, n }) => {
      const color = style(`hop-${hop}`), shape = PATTERN[hop] ?? "";
      return binned(`5xx ${label}`, n, "y4", { color, ...(shape && { pattern: { shape, fgcolor: style("panel"), bgcolor: color, size: 5, solidity: 0.25 } }) }, true);
    });
    return [binned("requests", r.n, "y3", { color: style("requests") }, false), ...hops];
  };
  // What was not read is no zero: grey, and said where there is room.
  const unreadShapes = (rooms) => (columns.requests?.unread || []).map(([from, to]) => ({
    type: "rect", xref: "x", yref: "paper", x0: date(Math.max(from, columns.since)), x1: date(to), y0: rooms.errors[0], y1: rooms.requests[1],
    fillcolor: style("hatch-line"), opacity: 0.22, line: { width: 0 }, layer: "below",
  }));
  const unreadWords = (rooms) => (columns.requests?.unread || []).filter(([from, to]) => to - from > (columns.until - columns.since) / 12).map(([from, to]) => ({
    xref: "x", yref: "paper", x: date((Math.max(from, columns.since) + to) / 2), y: (rooms.errors[0] + rooms.errors[1]) / 2, text: "not read", showarrow: false, font: { size: 12, color: style("dim") },
  }));
  const bands = () => columns.incidents.from.map((from, i) => ({
    type: "rect", xref: "x", yref: "paper", x0: date(Math.max(from, columns.since)), x1: date(Math.min(columns.incidents.to[i], columns.until)), y0: 0, y1: 1,
    fillcolor: style("failing"), opacity: 0.1, line: { width: 0 }, layer: "below",
  }));
  // Without any 5xx the axis still has a scale: a flat line at 0 of something.
  const tallest = () => (columns.requests.hops.length ? {} : { range: [0, 4] });
  const titled = (text) => ({ text, font: { size: 12, color: style("dim") } });

  const draw = () => {
    if (!columns || !window.Plotly) return;
    const ink = style("ink"), counted = Boolean(columns.requests), rooms = counted ? ROOMS : ROOMS_BARE;
    const traces = [
      steps("ready", columns.ready, style("warm"), {}),
      steps("desired", columns.desired, ink, { dash: "dot" }),
      ...Object.keys(COLOUR).map(bars),
      marks("scale", columns.scale.at, columns.scale.at.map((_, i) => `${columns.scale.from[i]} → ${columns.scale.to[i]} · ${columns.scale.says[i]}`), style("cold"), "diamond"),
      marks("probe failures", columns.probes.at, columns.probes.n.map((n, i) => `≥ ${n} · ${columns.probes.says[i]}`), style("degraded"), "x"),
      marks("revisions", columns.revisions.at, columns.revisions.says, ink, "triangle-up"),
      marks("actions", columns.actions.at, columns.actions.says, style("accent"), "star"),
      spans(),
      ...requestTraces(),
    ];
    traces[0].fill = "tozeroy"; traces[0].fillcolor = `${style("warm")}22`;
    const layout = themed({
      height: counted ? 520 : 350, margin: { l: 96, r: 14, t: 26, b: 36 }, dragmode: "zoom", barmode: "stack", bargap: 0,
      shapes: [...bands(), ...(counted ? unreadShapes(rooms) : [])], annotations: counted ? unreadWords(rooms) : [],
      xaxis: { anchor: "y2", type: "date", range: [date(columns.since), date(columns.until)], fixedrange: false },
      yaxis: { domain: rooms.replicas, rangemode: "tozero", dtick: 1, nticks: 5, title: titled("replicas") },
      yaxis2: { domain: rooms.lanes, type: "category", categoryorder: "array", categoryarray: LANES, range: [-0.6, LANES.length - 0.4] },
      ...(counted && {
        yaxis3: { domain: rooms.requests, rangemode: "tozero", nticks: 3, title: titled("requests") },
        yaxis4: { domain: rooms.errors, rangemode: "tozero", nticks: 4, title: titled("5xx"), ...tallest() },
      }),
    });
    const most = Math.max(1, ...columns.desired.n, ...columns.ready.n);
    layout.yaxis.dtick = Math.ceil(most / (counted ? 2 : 4));
    layout.yaxis.range = [0, most * 1.15];
    if (!place.classList.contains("js-plotly-plot")) place.replaceChildren();
    Plotly.react(place, traces, layout, { ...OPTIONS, doubleClick: "reset" });
  };

  const linked = (href, text) => Object.assign(document.createElement("a"), { href, textContent: text });
  const table = () => {
    const body = document.querySelector("#timeline-table tbody");
    const c = columns, r = c.requests || { at: [], says: [], hops: [] };
    const lost = r.at.map((_, i) => r.hops.reduce((sum, { n }) => sum + n[i], 0));
    const lines = [
      ...c.incidents.from.map((at, i) => [at, "incident", linked(`${place.dataset.incidents}${c.incidents.id[i]}/`, c.incidents.says[i])]),
      ...r.at.map((at, i) => [at, `5xx in ${pilotlight.length(r.step_ms / 1000)}`, r.says[i]]).filter((_, i) => lost[i]),
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
