// Line charts as inline SVG, each with a table of its series beside it.

import { h, put, s } from "./dom.js";
import { duration } from "./format.js";
import { t } from "./words.js";
import { STEP } from "./metrics.js";

const [HEIGHT, LEFT, BOTTOM, TOP] = [200, 80, 22, 10];
// So wide that its texts have about their size where it is shown.
const [WIDE, NARROW] = [640, 360];
const isNarrow = matchMedia("(max-width: 560px)");
// The windows of time, in minutes: the smallest that holds what is known.
const SPANS = [1, 2, 5, 10];
const MOST = 8;

/** A chart with a title. `update(series)` draws [{name, points, tone?}], with another text for none if given; `show` writes a value, and `tops` are the ends that its axis may have. */
export function chart(title, show, nothing, tops = []) {
  const drawing = s("svg", { role: "img", class: "chart" });
  const note = h("p", { class: "quiet chart-note" });
  const rows = h("tbody");
  const legend = h("table", { class: "legend" }, h("caption", { class: "unseen" }, title),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("chart.series")), h("th", { scope: "col", class: "number" }, t("chart.now")), h("th", { scope: "col", class: "number" }, t("chart.peak")))), rows);
  const element = h("section", { class: "card" }, h("h2", {}, title), h("div", { class: "figure" }, drawing, note), legend);
  element.update = (all, none = nothing) => {
    const known = all.filter(({ points }) => points.some(({ value }) => value !== null));
    const series = known.map((one) => ({ ...one, last: last(one), peak: peak(one) })).sort((a, b) => (a.tone ? 0 : 1) - (b.tone ? 0 : 1) || b.peak - a.peak).slice(0, MOST);
    const most = Math.max(0, ...series.map(({ peak }) => peak));
    const top = tops.find((one) => one >= most) ?? ceiling(most);
    const span = spanOf(series);
    const width = isNarrow.matches ? NARROW : WIDE;
    drawing.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    const busy = series.some(({ peak }) => peak > 0);
    note.textContent = busy ? "" : none;
    note.hidden = busy;
    put(drawing, grid(top || 1, show, busy, span, width), busy && series.map((one, index) => line(one, index, top || 1, span, width)));
    legend.hidden = !series.length;
    drawing.setAttribute("aria-label", `${title}. ${series.map(({ name, last }) => `${name}: ${show(last)}`).join("; ") || none}`);
    put(rows, series.map(({ name, last, peak, tone }, index) => h("tr", {},
      h("th", { scope: "row" }, h("span", { class: "series" }, s("svg", { class: `swatch ${colour(tone, index)}`, viewBox: "0 0 10 10", "aria-hidden": "true" }, s("rect", { width: 10, height: 10, rx: 3 })), name)),
      h("td", { class: "number" }, show(last)), h("td", { class: "number" }, show(peak)))));
  };
  return element;
}

function colour(tone, index) {
  return tone ? `tone-${tone}` : `line-${index % MOST}`;
}

function last({ points }) {
  return points.at(-1)?.value ?? NaN;
}

function peak({ points }) {
  return points.reduce((most, { value }) => (value > most ? value : most), 0);
}

function spanOf(series) {
  const known = Math.max(0, ...series.map(({ points }) => (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0))) / 60_000;
  return SPANS.find((minutes) => minutes >= known) ?? SPANS.at(-1);
}

/** The next round number. */
function ceiling(value) {
  if (!(value > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value);
}

function grid(top, show, busy, span, width) {
  const heights = [0, 0.5, 1];
  const y = (share) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  return [
    heights.map((share) => s("line", { class: "grid", x1: LEFT, x2: width, y1: y(share), y2: y(share) })),
    busy && heights.map((share) => s("text", { class: "axis", x: LEFT - 8, y: y(share) + 4, "text-anchor": "end" }, show(top * share))),
    [0, 0.5, 1].map((share) => s("text", { class: "axis", x: LEFT + share * (width - LEFT), y: HEIGHT - 4, "text-anchor": ["start", "middle", "end"][share * 2] },
      share < 1 ? `−${duration((1 - share) * span * 60)}` : t("chart.now"))),
  ];
}

function line({ points, tone }, index, top, minutes, width) {
  const span = minutes * 60_000;
  const end = points.at(-1)?.at ?? 0;
  const x = (at) => LEFT + Math.max(0, 1 - (end - at) / span) * (width - LEFT);
  const y = (value) => TOP + (1 - Math.min(1, value / top)) * (HEIGHT - TOP - BOTTOM);
  let [path, isOn, before] = ["", false, 0];
  const ends = [];
  for (const { at, value } of points.filter((point) => end - point.at <= span)) {
    if (value === null) {
      isOn = false;
      continue;
    }
    // While nobody looked, nothing was asked: a gap, and no line that invents what was between.
    if (isOn && at - before > 4 * STEP) isOn = false;
    path += `${isOn ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
    if (isOn) ends[ends.length - 1].isLone = false;
    else ends.push({ x: x(at), y: y(value), isLone: true });
    [isOn, before] = [true, at];
  }
  return s("g", { class: colour(tone, index) }, s("path", { class: "line", d: path || "M0 0" }),
    ends.filter(({ isLone }) => isLone).map((end) => s("circle", { class: "dot", cx: Math.min(end.x, width - 3).toFixed(1), cy: end.y.toFixed(1), r: 3 })));
}
