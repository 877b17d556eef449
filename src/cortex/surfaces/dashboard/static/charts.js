/** Charts as plain SVG for the available width, with the same numbers as a table. */

import { fill, h, svg } from "./dom.js";

const HEIGHT = 190;
/** How wide a bar is at most: one of a single day would fill the whole chart. */
const WIDEST = 48;
const LINES = new Set(["lines", "rates"]);
const PAD = { top: 10, right: 4, bottom: 22, left: 34 };

/**
 * A chart of columns.
 *
 * @param {object} given
 * @param {string} given.name such as `growth`, for tests and styles
 * @param {string} given.title what it shows, in a sentence
 * @param {{key: string, label: string, color: string}[]} given.series from the bottom up
 * @param {{label: string, title: string, values: Object<string, number>}[]} given.columns from the left
 * @param {"stack"|"share"|"line"|"lines"|"rates"} given.form `line` is one line over a surface; `lines` are several, and
 *   `rates` several between 0 and 100 %; where they have no value (null), there is a gap
 * @param {(value: number) => string} [given.write] how a value is written
 * @param {(value: number) => string} [given.axis] how a value is written at the axis
 * @param {string} [given.unit] what a column is, such as `Week`
 */
export function chart(given) {
  const write = given.write ?? ((value) => String(value));
  const drawing = h("div", { class: "chart" });
  const isLines = LINES.has(given.form);
  const used = given.series.filter(({ key }) => given.columns.some((column) => (isLines ? isNumber(column.values[key]) : column.values[key])));
  const observer = new ResizeObserver(() => draw());
  let width = 0;
  function draw() {
    if (!drawing.isConnected && width) return observer.disconnect();
    const now = Math.round(drawing.clientWidth);
    if (!now || now === width) return undefined;
    width = now;
    return fill(drawing, picture(given, used, width), pointing(drawing, given, used, width, write));
  }
  observer.observe(drawing);
  return h("figure", {}, drawing, given.form !== "line" && legend(used, given), numbers(given, used, write));
}

function legend(series, { totals }) {
  return h("ul", { class: "legend" }, series.map(({ key, label, color }) =>
    h("li", {}, h("i", { class: color }), label, totals && h("b", {}, totals[key] ?? ""))));
}

/** The same numbers as a table, for screen readers and for reading. */
function numbers({ title, columns, form, unit = "Day" }, series, write) {
  const cell = (value) => (LINES.has(form) && !isNumber(value) ? "–" : write(value ?? 0));
  const table = h(
    "table",
    { class: "table" },
    h("caption", { class: "hidden" }, title),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, unit), series.map(({ label }) => h("th", { scope: "col", class: "num" }, label)))),
    h("tbody", {}, columns.map((column) =>
      h("tr", {}, h("th", { scope: "row" }, column.title), series.map(({ key }) => h("td", { class: "num" }, cell(column.values[key])))))),
  );
  const holder = h("div", { class: "hidden" }, table);
  const toggle = h("button", { class: "link-button", type: "button", "aria-expanded": "false", on: { click: () => {
    const isShown = holder.className === "hidden";
    holder.className = isShown ? "numbers" : "hidden";
    if (isShown) holder.setAttribute("tabindex", "0");
    else holder.removeAttribute("tabindex");
    toggle.setAttribute("aria-expanded", String(isShown));
    toggle.textContent = isShown ? "Hide numbers" : "Show numbers";
  } } }, "Show numbers");
  return [h("p", { style: { "margin-block-start": "0.75rem" } }, toggle), holder];
}

function picture({ name, title, columns, form, axis = compact }, series, width) {
  const isShare = form === "share" || form === "rates";
  const height = LINES.has(form) ? (column) => Math.max(0, ...series.map(({ key }) => column.values[key] ?? 0)) : (column) => sum(column, series);
  const most = isShare ? 1 : Math.max(1, ...columns.map(height));
  const step = isShare ? 0.5 : stepOf(most);
  const top = step * Math.ceil(most / step);
  const area = frame(width, columns.length);
  const y = (value) => PAD.top + area.height * (1 - value / top);
  const root = svg("svg", { role: "img", viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT, "data-chart": name }, svg("title", {}, title));
  for (let value = 0; value <= top; value += step) {
    root.append(
      svg("line", { class: value ? "grid" : "base", x1: PAD.left, x2: width - PAD.right, y1: y(value), y2: y(value) }),
      svg("text", { class: "label", x: PAD.left - 8, y: y(value) + 4, "text-anchor": "end" }, isShare ? `${value * 100}%` : axis(value)),
    );
  }
  if (form === "line") root.append(...curve(columns, series[0]?.key, area, y));
  else if (LINES.has(form)) root.append(...series.flatMap((one) => strokes(columns, one, area, y)));
  else columns.forEach((column, at) => root.append(...stack(column, series, area, at, form, y)));
  root.append(...dayLabels(columns, area, width));
  return root;
}

function stack(column, series, area, at, form, y) {
  const whole = sum(column, series);
  const rects = [];
  let below = 0;
  for (const { key, color } of series) {
    const value = (column.values[key] ?? 0) / (form === "share" ? whole || 1 : 1);
    if (!value) continue;
    const [low, high] = [y(below), y(below + value)];
    rects.push(svg("rect", {
      class: `mark ${color}`, x: area.x(at) + area.gap / 2, width: area.bar, y: high, height: Math.max(low - high - (below ? 1 : 0), 0.75), rx: Math.min(1.5, area.bar / 4),
    }));
    below += value;
  }
  return rects;
}

function curve(columns, key, area, y) {
  const points = columns.map((column, at) => `${round(area.x(at) + area.slot / 2)},${round(y(column.values[key] ?? 0))}`);
  if (!points.length) return [];
  const [first, last] = [points[0].split(",")[0], points.at(-1).split(",")[0]];
  return [
    svg("path", { class: "fill", d: `M${first},${y(0)}L${points.join("L")}L${last},${y(0)}Z` }),
    svg("path", { class: "line", d: `M${points.join("L")}` }),
  ];
}

/** One line, with gaps; a value alone is a dot. */
function strokes(columns, { key, color }, area, y) {
  const runs = [[]];
  columns.forEach((column, at) => {
    const value = column.values[key];
    if (isNumber(value)) runs.at(-1).push([round(area.x(at) + area.slot / 2), round(y(value))]);
    else if (runs.at(-1).length) runs.push([]);
  });
  const filled = runs.filter((run) => run.length);
  const bridges = filled.slice(1).map((run, at) => svg("path", { class: `bridge ${color}`, d: `M${filled[at].at(-1).join(",")}L${run[0].join(",")}` }));
  return [...bridges, ...filled.map((run) => run.length === 1
    ? svg("circle", { class: `point ${color}`, cx: run[0][0], cy: run[0][1], r: 2.5 })
    : svg("path", { class: `stroke ${color}`, d: `M${run.map((point) => point.join(",")).join("L")}` }))];
}

function dayLabels(columns, area, width) {
  const fits = Math.max(2, Math.floor(width / 90));
  const every = Math.max(1, Math.ceil(columns.length / fits));
  const shown = columns.map((column, at) => [column, at]).filter(([, at]) => (columns.length - 1 - at) % every === 0);
  return shown.map(([column, at]) => {
    const middle = area.x(at) + area.slot / 2;
    const anchor = middle > width - 30 ? "end" : middle < PAD.left + 16 ? "start" : "middle";
    const x = anchor === "end" ? width - PAD.right : anchor === "start" ? PAD.left : middle;
    return svg("text", { class: "label", x, y: HEIGHT - 4, "text-anchor": anchor }, column.label);
  });
}

/** A tooltip for the column under the pointer. */
function pointing(drawing, { columns, form }, series, width, write) {
  const area = frame(width, columns.length);
  const tip = h("div", { class: "tip", hidden: true });
  const cursor = svg("rect", { class: "cursor", y: PAD.top, height: area.height, width: area.slot, visibility: "hidden" });
  drawing.querySelector?.("svg")?.prepend(cursor);
  const hide = () => {
    tip.hidden = true;
    cursor.setAttribute("visibility", "hidden");
  };
  const show = (event) => {
    const box = drawing.getBoundingClientRect();
    const at = Math.floor((event.clientX - box.left - PAD.left) / area.slot);
    if (at < 0 || at >= columns.length) return hide();
    const column = columns[at];
    const whole = sum(column, series);
    const isShown = LINES.has(form) ? ({ key }) => isNumber(column.values[key]) : ({ key }) => column.values[key];
    const shown = series.filter(isShown).reverse();
    cursor.setAttribute("x", area.x(at));
    cursor.setAttribute("visibility", "visible");
    fill(tip, h("b", {}, column.title), h("ul", {}, shown.map(({ key, label, color }) =>
      h("li", {}, h("i", { class: color }), h("span", {}, label), h("span", {}, form === "share" ? `${Math.round((100 * column.values[key]) / whole)}%` : write(column.values[key]))))),
      !shown.length && h("span", { class: "quiet" }, "none"));
    tip.hidden = false;
    const left = area.x(at) + area.slot + 8;
    tip.style.setProperty("left", `${left + tip.offsetWidth > width ? Math.max(0, area.x(at) - tip.offsetWidth - 8) : left}px`);
    return undefined;
  };
  drawing.onpointermove = show;
  drawing.onpointerleave = hide;
  return tip;
}

function frame(width, count) {
  const height = HEIGHT - PAD.top - PAD.bottom;
  const slot = (width - PAD.left - PAD.right) / Math.max(count, 1);
  const gap = Math.min(slot * 0.3, 6);
  return { height, slot, gap: Math.max(gap, slot - WIDEST), bar: Math.min(Math.max(slot - gap, 1), WIDEST), x: (at) => PAD.left + at * slot };
}

const sum = (column, series) => series.reduce((whole, { key }) => whole + (column.values[key] ?? 0), 0);
const isNumber = (value) => typeof value === "number";
const round = (value) => Math.round(value * 100) / 100;
const compact = (value) => (value >= 1000 ? `${round(value / 1000)}k` : String(value));

/** How far apart the lines of a chart up to `value` are: a round number, for five lines at most. */
function stepOf(value) {
  const least = Math.max(1, value / 5);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((each) => each * power >= least) * power;
}
