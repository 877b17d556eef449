/** Contents, health, growth and recent activity. */

import { chart } from "../charts.js";
import { fill, h } from "../dom.js";
import { bytes, counted, percent, shortDay, title as titled, whole, words } from "../format.js";
import { icon } from "../icons.js";
import { settled } from "../live.js";
import { KINDS, LABELS, LANES, kindColor, labelColor, laneName } from "../palette.js";
import { command, empty, fix, head, loaded, notice, panel, segments, sentence, when } from "../parts.js";
import { eventRow, lookup } from "./events.js";

const LANE_ABOUT = {
  memories: "stored statements",
  sessions: "messages, verbatim",
  notes: "chunks of dated notes",
  docs: "chunks of other files",
};
const DRIFT_COLUMNS = 15;
const MOST_SCOPES = 6;

export function showOverview(context) {
  const { api, live, root, signal } = context;
  const place = { status: h("div", { class: "stack" }), growth: h("div"), drift: h("div"), queue: h("div"), scopes: h("div"), events: h("div") };
  const chosen = { days: 30, form: "stack" };
  const newer = lookup(api, signal);
  let shape = "";
  let seen = "";

  const lay = (isEmpty) => {
    const wanted = isEmpty ? "empty" : "full";
    if (shape === wanted) return;
    shape = wanted;
    const title = head("Overview", null, isEmpty ? [] : daysChoice(chosen, () => charts()));
    if (isEmpty) fill(root, title, place.status, welcome());
    else fill(root, title, place.status, h("div", { class: "cols-2 even" }, place.growth, place.drift), h("div", { class: "main-and-side" }, place.events, h("div", { class: "stack" }, place.queue, place.scopes)));
    if (!isEmpty) {
      charts();
      events();
    }
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
  const charts = () => loaded(place.growth, signal, () => api.get("/v1/growth", { days: chosen.days }, { signal }), (found) => {
    const now = JSON.stringify(found);
    if (now === shown) return undefined; // do not disturb the reader
    shown = now;
    fill(place.drift, drift(found.days));
    return growth(found.days, chosen);
  });
  const events = () => loaded(place.events, signal, () => api.get("/v1/timeline", { limit: 7 }, { signal }), (found) =>
    panel("Recent activity", h("a", { class: "small", href: "#/timeline" }, "Timeline"), h("ol", { class: "events brief" }, found.events.map((event) => eventRow(event, { newer })))));

  fill(root, head("Overview"), place.status);
  const refresh = settled(() => {
    status();
    if (shape === "full") {
      charts();
      events();
    }
  }, signal, { quiet: 700, most: 3_000 });
  let position = live.state?.position ?? null;
  live.on("state", signal, (state) => {
    if (shape === "full") showQueue(place.queue, state.jobs);
    const key = `${state.position}/${state.degraded}/${state.jobs?.failed}`;
    if (position !== null && key !== position) refresh();
    position = key;
  });
  return status();
}

function daysChoice(chosen, changed) {
  return segments("days", "Period", [["30", "30 days"], ["90", "90 days"]], String(chosen.days), (value) => {
    chosen.days = Number(value);
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
        ["Store", `${found.store.backend}${found.store.bytes ? `, ${bytes(found.store.bytes)}` : ""}`],
        ["Newest memory", found.counts.newest ? when(found.counts.newest) : null],
      ].filter(([, value]) => value).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
  );
}

function degraded(found) {
  return found.degraded.map((each) => notice("warn", titled(each.what), h("p", {}, sentence(each.why)), fix(each.fix)));
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
    h("div", { class: "panel-head" }, h("div", {}, h("h2", {}, "Growth"), h("p", {}, `${counted(created, "memory", "memories")} in ${days.length} days, ${whole(total)} in total`)), choice),
    created || total ? drawing : empty("overview", "No memories yet", "New memories will appear here."));
}

function createdChart(days) {
  const totals = Object.fromEntries(KINDS.map((kind) => [kind, whole(days.reduce((sum, day) => sum + (day.kinds[kind] ?? 0), 0))]));
  return chart({
    name: "growth", form: "stack", totals, write: whole,
    title: `Memories created on each of the last ${days.length} days, by kind`,
    series: KINDS.map((kind) => ({ key: kind, label: words(kind), color: kindColor(kind) })),
    columns: days.map((day) => ({ label: shortDay(day.day), title: shortDay(day.day), values: day.kinds })),
  });
}

function totalChart(days) {
  return chart({
    name: "growth", form: "line", write: whole,
    title: `Total memories on each of the last ${days.length} days`,
    series: [{ key: "total", label: "total", color: "c1" }],
    columns: days.map((day) => ({ label: shortDay(day.day), title: shortDay(day.day), values: { total: day.total } })),
  });
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
    const [first, last] = [shortDay(part[0].day), shortDay(part.at(-1).day)];
    columns.unshift({ label: last, title: first === last ? first : `${first} – ${last}`, values: sums(part) });
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
