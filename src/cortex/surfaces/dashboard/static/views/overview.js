/** Contents, health, what changed this week, growth in both times, recall, and recent activity. */

import { chart } from "../charts.js";
import { fill, h } from "../dom.js";
import { bytes, counted, percent, spanDays, storeName, title as titled, whole, words } from "../format.js";
import { icon } from "../icons.js";
import { settled } from "../live.js";
import { KINDS, LABELS, LANES, kindColor, labelColor, laneName } from "../palette.js";
import { command, empty, fix, head, loaded, notice, panel, segments, sentence, when } from "../parts.js";
import { sentences } from "../week.js";
import { eventRow, lookup } from "./events.js";
import { latencyChart, rateChart } from "./usage.js";

const LANE_ABOUT = {
  memories: "stored statements",
  sessions: "messages, verbatim",
  notes: "chunks of notes",
  docs: "chunks, searched on request",
};
const DRIFT_COLUMNS = 15;
const MOST_SCOPES = 6;
const MOST_STORED = 366;
const RECALL_DAYS = 30;
/** How many days or weeks a chart of stored memories shows at most. */
const MOST_COLUMNS = 92;

export function showOverview(context) {
  const { api, live, root, signal } = context;
  root.classList.add("wide");
  const names = ["week", "latency", "rates", "growth", "stored", "drift", "queue", "scopes", "events"];
  const place = { status: h("div", { class: "stack" }), ...Object.fromEntries(names.map((name) => [name, h("div", { class: "cell" })])) };
  const chosen = { days: "all", form: "stack" };
  const newer = lookup(api, signal);
  let shape = "";
  let seen = "";

  const lay = (isEmpty) => {
    const wanted = isEmpty ? "empty" : "full";
    if (shape === wanted) return;
    shape = wanted;
    const title = head("Overview", null, isEmpty ? [] : daysChoice(chosen, () => charts()));
    if (isEmpty) fill(root, title, place.status, welcome());
    else fill(root, title, place.status,
      h("div", { class: "chart-grid even" }, place.week, place.growth, place.stored, place.latency, place.rates, place.drift),
      h("div", { class: "main-and-side" }, place.events, h("div", { class: "stack" }, place.queue, place.scopes)));
    if (!isEmpty) more();
  };
  const more = () => {
    charts();
    recalls();
    events();
  };
  const status = () => loaded(place.status, signal, () => api.get("/v1/status", {}, { signal }), (found) => {
    const now = JSON.stringify(found);
    if (now === seen) return undefined;
    seen = now;
    lay(found.counts.total === 0);
    showQueue(place.queue, live.state?.jobs ?? found.jobs, found.jobs);
    fill(place.scopes, scopes(found.counts));
    return [strip(found), found.counts.total > 0 && lanes(found.counts), degraded(found)];
  });
  let shown = "";
  const charts = () => loaded(place.growth, signal, () => api.get("/v1/growth", chosen.days === "all" ? { fit: true } : { days: chosen.days }, { signal }), (found) => {
    const now = JSON.stringify(found);
    if (now === shown) return undefined; // do not disturb the reader
    shown = now;
    fill(place.drift, drift(found.days));
    return growth(found.days, chosen);
  });
  let asked = "";
  const recalls = () => loaded(place.week, signal, () => Promise.all([
    api.get("/v1/activity", { days: MOST_STORED }, { signal }),
    api.get("/v1/usage", { days: RECALL_DAYS }, { signal }),
  ]), ([activity, usage]) => {
    const now = JSON.stringify([activity, usage]);
    if (now === asked) return undefined;
    asked = now;
    fill(place.stored, stored(activity.counts));
    const isUsed = usage.total.p50_ms !== null;
    for (const name of ["latency", "rates"]) place[name].hidden = !isUsed;
    if (isUsed) {
      fill(place.latency, latencyChart(usage.days));
      fill(place.rates, rateChart(usage.days));
    }
    return panel("This week", h("a", { class: "small", href: "#/digest" }, "Digest"), h("ul", { class: "sentences" }, sentences(activity.counts, usage).map((each) => h("li", {}, each))));
  });
  const events = () => loaded(place.events, signal, () => api.get("/v1/timeline", { limit: 7 }, { signal }), (found) =>
    panel("Recent activity", h("a", { class: "small", href: "#/timeline" }, "Timeline"), h("ol", { class: "events brief" }, found.events.map((event) => eventRow(event, { newer })))));

  fill(root, head("Overview"), place.status);
  const refresh = settled(() => {
    status();
    if (shape === "full") more();
  }, signal, { quiet: 700, most: 3_000 });
  live.on("state", signal, (state) => shape === "full" && showQueue(place.queue, state.jobs));
  live.onChange((state) => `${state.position}/${state.degraded}/${state.jobs?.failed}`, signal, refresh);
  return status();
}

function daysChoice(chosen, changed) {
  return segments("days", "Period", [["all", "All time"], ["90", "90 days"], ["30", "30 days"]], chosen.days, (value) => {
    chosen.days = value;
    changed();
  });
}

function strip(found) {
  const isFine = found.degraded.length === 0;
  return h(
    "section",
    { class: ["strip", isFine ? "" : "degraded"], "aria-label": "Health" },
    h("a", { class: "state", href: "#/health" }, icon(isFine ? "good" : "warn"), isFine ? "Everything works" : counted(found.degraded.length, "problem")),
    h(
      "dl",
      {},
      [
        ["Recipe", found.recipe],
        ["Embedder", found.embedder?.model ?? found.embedder?.provider ?? "none"],
        ["Store", `${storeName(found.store)}${found.store.bytes ? `, ${bytes(found.store.bytes)}` : ""}`],
        ["Newest memory", found.counts.newest ? when(found.counts.newest) : null],
      ].filter(([, value]) => value).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
  );
}

function degraded(found) {
  return found.degraded.map((each) => notice("warn brief", titled(each.what), h("p", {}, sentence(each.why)), fix(each.fix)));
}

function lanes(counts) {
  return h("section", { class: "lanes", "aria-label": "Contents" }, LANES.map((lane) => {
    return h("div", { class: "lane" }, h("span", {}, laneName(lane)), h("b", {}, whole(counts.by_lane[lane] ?? 0)), h("small", {}, LANE_ABOUT[lane]));
  }));
}

/** Memories per scope, and how many are not trusted. */
function scopes(counts) {
  const all = Object.entries(counts.by_scope).sort((one, other) => other[1] - one[1]);
  const shown = all.slice(0, MOST_SCOPES);
  const rest = all.slice(MOST_SCOPES).reduce((sum, [, number]) => sum + number, 0);
  const most = Math.max(1, ...shown.map(([, number]) => number));
  const aside = ["untrusted", "quarantined"].filter((trust) => counts.by_trust[trust]).map((trust) => `${whole(counts.by_trust[trust])} ${trust}`);
  return panel("Scopes", aside.join(", "), h("ul", { class: "shares" }, shown.map(([scope, number]) =>
    h("li", {}, h("span", {}, scope), h("span", { class: "num quiet" }, whole(number)), h("div", { class: "bar", "aria-hidden": "true" }, h("i", { class: "c1", style: { "inline-size": `${(100 * number) / most}%` } }))))),
    rest > 0 && h("p", { class: "small quiet" }, `and ${whole(rest)} in ${counted(all.length - shown.length, "other scope")}`));
}

// --- charts ----------------------------------------------------------------------------------------------------------

function growth(days, chosen) {
  const created = days.reduce((sum, day) => sum + day.created, 0);
  const total = days.at(-1)?.total ?? 0;
  const drawing = h("div");
  const draw = () => fill(drawing, chosen.form === "line" ? totalChart(days) : createdChart(days));
  draw();
  const choice = segments("form", "Chart", [["stack", "New"], ["line", "Total"]], chosen.form, (value) => {
    chosen.form = value;
    draw();
  });
  return h("section", { class: "panel" },
    h("div", { class: "panel-head" }, h("div", {}, h("h2", {}, "By date of event"), h("p", {}, `${counted(created, "memory", "memories")} ${rangeOf(days)}, ${whole(total)} in total`)), choice),
    created || total ? drawing : empty("overview", "No memories yet", "New memories will appear here."));
}

/** The time that entries cover, as far as there is anything in it. */
function rangeOf(days) {
  const [first, last] = [days[0], days.at(-1)];
  if (!first) return "";
  if (days.every((day) => (day.days ?? 1) === 1)) return `in ${counted(days.length, "day")}`;
  return `from ${first.day.slice(0, 4)} to ${last.day.slice(0, 4)}`.replace(/from (\d+) to \1/, "in $1");
}

const UNITS = { 1: "Day", 7: "Week" };
const unitOf = (days) => UNITS[days[0]?.days ?? 1] ?? (days[0].days > 31 ? "Year" : "Month");

/** The columns of a chart of days, weeks, months or years. */
function columnsOf(days, values) {
  const hasYears = days.length > 0 && days[0].day.slice(0, 4) !== days.at(-1).day.slice(0, 4);
  return days.map((day) => ({ ...spanDays(day.day, day.days ?? 1, hasYears), values: values(day) }));
}

function createdChart(days) {
  const totals = Object.fromEntries(KINDS.map((kind) => [kind, whole(days.reduce((sum, day) => sum + (day.kinds[kind] ?? 0), 0))]));
  return chart({
    name: "growth", form: "stack", totals, write: whole, unit: unitOf(days),
    title: `Memories by kind and by the time they are about, in ${counted(days.length, unitOf(days).toLowerCase())}`,
    series: KINDS.map((kind) => ({ key: kind, label: words(kind), color: kindColor(kind) })),
    columns: columnsOf(days, (day) => day.kinds),
  });
}

function totalChart(days) {
  return chart({
    name: "growth", form: "line", write: whole, unit: unitOf(days),
    title: `Total memories by the time they are about, in ${counted(days.length, unitOf(days).toLowerCase())}`,
    series: [{ key: "total", label: "total", color: "c1" }],
    columns: columnsOf(days, (day) => ({ total: day.total })),
  });
}

/** Memories by the time they were stored: what was imported today shows today, whenever it happened. */
function stored(counts) {
  const days = storedDays(counts);
  const number = days.reduce((sum, day) => sum + day.values.remembered + day.values.imported, 0);
  const about = number ? `${counted(number, "memory", "memories")} in ${counted(days.reduce((sum, day) => sum + day.days, 0), "day")}` : null;
  if (!number) return panel("By date stored", about, h("div", { class: "empty slim", data: { empty: "" } }, h("p", {}, "Nothing was stored in the last year.")));
  return panel("By date stored", about, chart({
    name: "stored", form: "stack", write: whole, unit: unitOf(days),
    title: "Memories by the day they were stored",
    series: [{ key: "remembered", label: "remembered", color: "c1" }, { key: "imported", label: "imported", color: "c5" }],
    columns: columnsOf(days, (day) => day.values),
  }));
}

/** Each day since the first memory was stored; weeks, where there are too many. */
function storedDays(counts) {
  const found = new Map();
  for (const { day, kind, number } of counts) {
    if (kind !== "remembered" && kind !== "imported") continue;
    const values = found.get(day) ?? { remembered: 0, imported: 0 };
    values[kind] += number;
    found.set(day, values);
  }
  if (!found.size) return [];
  const first = new Date(`${[...found.keys()].sort()[0]}T00:00:00Z`);
  const last = new Date(`${new Date().toISOString().slice(0, 10)}T00:00:00Z`);
  const length = Math.round((last - first) / 86_400_000) + 1;
  const step = length > MOST_COLUMNS ? 7 : 1;
  const days = [];
  for (let at = 0; at < length; at += step) {
    const values = { remembered: 0, imported: 0 };
    const of = Math.min(step, length - at);
    for (let each = at; each < at + of; each += 1) {
      const day = found.get(new Date(first.getTime() + each * 86_400_000).toISOString().slice(0, 10));
      if (day) for (const name of Object.keys(values)) values[name] += day[name];
    }
    days.push({ day: new Date(first.getTime() + at * 86_400_000).toISOString().slice(0, 10), days: step, values });
  }
  return days;
}

/** Importance labels over time, and how many memories have none. */
function drift(days) {
  const columns = spans(days, Math.max(1, Math.ceil(days.length / DRIFT_COLUMNS)));
  const all = sums(days);
  const number = LABELS.reduce((sum, label) => sum + (all[label] ?? 0), 0);
  if (!number) return panel("Importance", null, h("div", { class: "empty slim", data: { empty: "" } }, h("p", {}, "No memories were created in this period.")));
  const share = (label) => (all[label] ?? 0) / number;
  const totals = Object.fromEntries(LABELS.map((label) => [label, percent(share(label))]));
  return panel(
    "Importance",
    `${percent(share("unknown"))} not rated${moved(days)}`,
    chart({
      name: "drift", form: "share", totals, write: whole,
      title: "Share of each importance label over time",
      series: LABELS.map((label) => ({ key: label, label: label === "unknown" ? "not rated" : words(label), color: labelColor(label) })),
      columns,
    }),
  );
}

function spans(days, length) {
  const columns = [];
  for (let end = days.length; end > 0; end -= length) {
    const part = days.slice(Math.max(0, end - length), end);
    const hasYears = days[0].day.slice(0, 4) !== days.at(-1).day.slice(0, 4);
    const [first, last] = [part[0], part.at(-1)].map((day) => spanDays(day.day, day.days ?? 1, hasYears).title);
    columns.unshift({ label: spanDays(part.at(-1).day, part.at(-1).days ?? 1, hasYears).label, title: first === last ? first : `${first} – ${last}`, values: sums(part) });
  }
  return columns;
}

function sums(days) {
  const found = {};
  for (const day of days) for (const [label, number] of Object.entries(day.labels)) found[label] = (found[label] ?? 0) + number;
  return found;
}

/** How the share of unrated memories changed from the first half to the second. */
function moved(days) {
  const share = (part) => {
    const found = sums(part);
    const all = Object.values(found).reduce((sum, each) => sum + each, 0);
    return all ? (found.unknown ?? 0) / all : null;
  };
  const [before, now] = [share(days.slice(0, days.length / 2)), share(days.slice(days.length / 2))];
  if (before === null || now === null) return "";
  const points = Math.round((now - before) * 100);
  return points ? `, ${points > 0 ? "up" : "down"} ${counted(Math.abs(points), "point")}` : ", unchanged";
}

// --- the queue -------------------------------------------------------------------------------------------------------

function showQueue(place, jobs, more = null) {
  if (!jobs) return;
  const [waiting, running, failed] = [jobs.waiting ?? 0, jobs.running ?? 0, jobs.failed ?? 0];
  const about = more?.next ? ["next ", when(more.next)] : running ? "running" : waiting ? "waiting" : "idle";
  const box = (name, number, kind) => h("li", { class: number ? kind : "" }, h("b", {}, whole(number)), h("span", {}, name));
  fill(place, panel("Background jobs", h("p", {}, about), h("div", { class: "queue" },
    h("ul", {}, box("waiting", waiting, ""), box("running", running, "running"), box("failed", failed, "failing")),
    h("div", { class: ["progress", running ? "" : "still"], "aria-hidden": "true" }, h("i")),
    failed > 0 && h("p", { class: "small quiet" }, "Failed jobs are retried. See ", h("a", { href: "#/health" }, "Health"), " for the reason."))));
}

// --- nothing yet -----------------------------------------------------------------------------------------------------

function welcome() {
  const way = (n, title, about, line) => h("li", { class: "way" }, h("span", { class: "n", "aria-hidden": "true" }, n), h("div", {}, h("h3", {}, title), h("p", {}, about)), command(line));
  return h("section", { class: "panel" }, empty(
    "inbox",
    "No memories yet",
    "Three ways to start. New memories appear here at once.",
    h("ol", { class: "ways" },
      way("1", "Store a statement", "In your own words.", 'cortex remember "The deploy key rotates on Mondays"'),
      way("2", "Capture a conversation", "Memories are extracted from it.", "cortex capture --session first chat.jsonl"),
      way("3", "Connect an agent", "Claude, Cursor or any other MCP host.", "cortex mcp install --host claude-code")),
  ));
}
