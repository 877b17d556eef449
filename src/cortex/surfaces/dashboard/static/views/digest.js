/** The digest: what some days brought, which questions found nothing, and what waits for a person. */

import { fill, h, memoryPath, receiptPath } from "../dom.js";
import { counted, milliseconds, whole, words } from "../format.js";
import { command, empty, head, loaded, panel, segments, tiles, when } from "../parts.js";

const PERIODS = [["1", "1 day"], ["7", "7 days"], ["30", "30 days"]];

/** Where what waits is shown. */
const PLACES = { "items in the inbox": "#/inbox", "failed jobs": "#/jobs", "open alerts": "#/alerts" };

export async function showDigest({ api, root, signal, query }) {
  root.classList.add("wide");
  const days = PERIODS.some(([value]) => value === query.get("days")) ? query.get("days") : "7";
  const place = h("div", { class: "stack" });
  const choice = segments("days", "Period", PERIODS, days, (value) => (location.hash = `#/digest?days=${value}`));
  fill(root, head("Digest", "What was learned and changed, which questions found nothing, and what needs you.", choice), place);
  await loaded(place, signal, () => api.get("/v1/digest", { days }, { signal }), (found) => [
    tiles(totals(found)),
    h("div", { class: "chart-grid" },
      h("div", { class: "stack" },
        panel("Waiting for you", null, waiting(found.waiting)),
        panel("Learned", "the most important", inStack(byCount(found.learned.by_kind), memories(found.learned.most_important, "Nothing new was learned."))),
        panel("Used most", "among the first hits", memories(found.used, "Nothing was recalled."))),
      panel("Changed", "the latest", inStack(byCount(found.changed.events), changes(found.changed.latest)))),
    panel("Unanswered questions", counted(found.unanswered.groups, "gap"), gaps(found.unanswered)),
  ]);
}

function totals({ learned, changed, unanswered, spent }) {
  const changes = Object.values(changed.events).reduce((sum, number) => sum + number, 0);
  return [
    { label: "New memories", value: whole(learned.memories), about: `${counted(learned.turns, "turn")} of conversations` },
    { label: "Changes", value: whole(changes), about: "of what was known" },
    { label: "Found nothing", value: whole(unanswered.found_nothing), about: `of ${counted(unanswered.recalls, "recall")}` },
    { label: "Latency, median", value: milliseconds(spent.p50_ms), about: `95 % within ${milliseconds(spent.p95_ms)}` },
    { label: "Tokens given", value: whole(spent.tokens), about: "to agents" },
    { label: "Language model", value: spent.llm_tokens === null ? "–" : whole(spent.llm_tokens), about: spent.llm_calls === null ? "not used" : `tokens in ${counted(spent.llm_calls, "call")}${cost(spent)}` },
  ];
}

const inStack = (...parts) => h("div", { class: "stack" }, parts);

const cost = ({ llm_cents: cents }) => (cents === null ? "" : `, ${(cents / 100).toFixed(2)} in money`);

const byCount = (numbers) => h("div", { class: "chips" }, Object.entries(numbers).map(([name, number]) => h("span", { class: "chip" }, `${words(name)} ${whole(number)}`)));

const line = (memory, ...more) => h("li", { data: { memory: memory.id } }, h("a", { href: memoryPath(memory.id) }, memory.line), h("div", { class: "chips" }, h("span", { class: "chip" }, words(memory.kind)), h("span", { class: "chip" }, memory.scope), more));

function memories(some, otherwise) {
  if (!some.length) return h("p", { class: "small quiet" }, otherwise);
  return h("ul", { class: "stack" }, some.map((each) => line(each, each.times > 0 && h("span", { class: "small quiet" }, counted(each.times, "time")))));
}

function changes(latest) {
  if (!latest.length) return h("p", { class: "small quiet" }, "Nothing was superseded, contradicted, forgotten or expired.");
  return h("ul", { class: "stack" }, latest.map(({ change, memory, other }) =>
    line(memory, h("span", { class: "small quiet" }, words(change), other && [" by ", h("a", { href: memoryPath(other.id) }, other.line)]))));
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function waiting(items) {
  if (!items.length) return empty("good", "Nothing waits for you", null);
  return h("ul", { class: "stack" }, items.map((each) => h("li", {}, PLACES[each.what] ? h("a", { href: PLACES[each.what] }, `${capital(each.what)}: ${whole(each.number)}`) : [`${capital(each.what)}: ${whole(each.number)}`, command(each.command)])));
}

function gaps(unanswered) {
  if (!unanswered.gaps.length) return h("p", { class: "small quiet" }, unanswered.found_nothing ? "What was asked is not kept (receipts.keep_queries)." : "Every recall found something.");
  const row = (gap) => h("tr", { data: { gap: gap.receipt_id } },
    h("td", { class: "whole" }, h("a", { href: receiptPath(gap.receipt_id) }, gap.question), gap.wordings > 1 && h("span", { class: "small quiet" }, ` and ${counted(gap.wordings - 1, "more like it", "more like it")}`)),
    h("td", { class: "num" }, whole(gap.times)),
    h("td", {}, when(gap.last)),
    h("td", {}, gap.answered_by.length ? h("a", { href: memoryPath(gap.answered_by[0]) }, "answered today") : h("span", { class: "chip" }, "still nothing")));
  return h("table", { class: "table slips" },
    h("thead", {}, h("tr", {}, ["Question", "Asked", "Last", "Today"].map((name, at) => h("th", { scope: "col", class: at === 1 ? "num" : "" }, name)))),
    h("tbody", {}, unanswered.gaps.map(row)));
}
