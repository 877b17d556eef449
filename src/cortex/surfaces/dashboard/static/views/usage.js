/** Usage: how recall went by day, counted from receipts. */

import { chart } from "../charts.js";
import { fill, h } from "../dom.js";
import { counted, milliseconds, percent, shortDay, whole } from "../format.js";
import { empty, head, loaded, panel, segments, tiles } from "../parts.js";

const PERIODS = [["14", "14 days"], ["30", "30 days"], ["90", "90 days"]];

export async function showUsage({ api, root, signal, query }) {
  root.classList.add("wide");
  const days = PERIODS.some(([value]) => value === query.get("days")) ? query.get("days") : "30";
  const place = h("div", { class: "stack" });
  const choice = segments("days", "Period", PERIODS, days, (value) => (location.hash = `#/usage?days=${value}`));
  fill(root, head("Usage", "How recall went by day (UTC), counted from receipts.", choice), place);
  await loaded(place, signal, () => api.get("/v1/usage", { days }, { signal }), (found) => {
    const { total } = found;
    if (!total.recalls && !total.searches && !total.llm_calls) return empty("usage", "No recalls yet", `Nothing was recalled or searched in the last ${days} days.`);
    return [
      tiles(totals(found)),
      found.counted_since > found.days[0].day && h("p", { class: "small quiet" }, `Receipts before ${shortDay(found.counted_since)} were not counted: there are too many.`),
      h("div", { class: "chart-grid" }, charts(found)),
    ];
  });
}

/** What matters of some time, as tiles. */
function totals({ total, cents_per_million_tokens: price }) {
  const isUsed = total.llm_calls !== null;
  const cost = isUsed && price !== null ? `${(total.llm_tokens * price / 100_000_000).toFixed(2)}, ` : "";
  return [
    { label: "Recalls", value: whole(total.recalls), about: `${counted(total.searches, "search", "searches")} besides` },
    { label: "Hit rate", value: rate(total.hit_rate), about: `${whole(total.answered)} found something` },
    { label: "Silent", value: rate(total.silent_rate), about: `${whole(total.silent)} found nothing, ${whole(total.skipped)} skipped` },
    { label: "Latency, median", value: milliseconds(total.p50_ms), about: `95 % within ${milliseconds(total.p95_ms)}` },
    { label: "Tokens given", value: whole(total.tokens), about: total.answered ? `${whole(Math.round(total.tokens / total.answered))} for each answer` : "to agents" },
    { label: "Language model", value: isUsed ? whole(total.llm_tokens) : "–", about: isUsed ? `tokens, ${cost}${counted(total.llm_calls, "call")}, all users` : "not used" },
  ];
}

const rate = (share) => (share === null ? "–" : percent(share));

function charts({ days }) {
  const figure = (name, title, about, given) => panel(title, about, chart({
    name, title: `${title} on each of the last ${days.length} days`, write: whole,
    columns: days.map((day) => ({ label: shortDay(day.day), title: shortDay(day.day), values: day })), ...given,
  }));
  return [
    figure("recalls", "Recalls", "by outcome", { form: "stack", series: [
      { key: "answered", label: "answered", color: "c1" }, { key: "silent", label: "nothing found", color: "c2" }, { key: "skipped", label: "skipped", color: "c8" }] }),
    latencyChart(days),
    rateChart(days),
    figure("tokens", "Tokens given to agents", null, { form: "stack", series: [{ key: "tokens", label: "tokens", color: "c5" }] }),
    days.some((day) => day.llm_calls) && figure("llm", "Language model", "tokens, of all users", { form: "stack", series: [{ key: "llm_tokens", label: "tokens", color: "c3" }] }),
    days.some((day) => day.degraded) && figure("degraded", "Degraded", "recalls and searches that went another way than usual", { form: "stack", series: [{ key: "degraded", label: "degraded", color: "c4" }] }),
  ];
}

const columnsOf = (days) => days.map((day) => ({ label: shortDay(day.day), title: shortDay(day.day), values: day }));

export function latencyChart(days) {
  return panel("Recall latency", "milliseconds", chart({
    name: "latency", form: "lines", write: milliseconds, axis: (value) => whole(value),
    title: `Latency of recalls on each of the last ${days.length} days, in milliseconds`,
    series: [{ key: "p50_ms", label: "median", color: "c1" }, { key: "p95_ms", label: "95th percentile", color: "c2" }], columns: columnsOf(days),
  }));
}

export function rateChart(days) {
  return panel("Hit rate and silence", "of all recalls", chart({
    name: "rates", form: "rates", write: percent,
    title: `Hit rate and silent rate on each of the last ${days.length} days`,
    series: [{ key: "hit_rate", label: "found something", color: "c1" }, { key: "silent_rate", label: "gave nothing", color: "c2" }], columns: columnsOf(days),
  }));
}
