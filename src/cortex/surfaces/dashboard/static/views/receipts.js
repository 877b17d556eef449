/** One receipt, and the replay of a recall. */

import { fill, h } from "../dom.js";
import { counted, milliseconds, title as titled, whole, words } from "../format.js";
import { icon } from "../icons.js";
import { dropName } from "../palette.js";
import { button, copyButton, facts, failure, field, fold, head, loaded, notice, occupied, panel, traceLink, waiting, when } from "../parts.js";
import { lookup } from "./events.js";

const IDLE = "no changes";
const LEG_NAMES = { keyword: "Keywords", vector: "Vectors", standing: "Standing rules" };
const ENVELOPE = new Set(["schema", "id", "op", "at", "agent", "user", "position", "latency_ms"]);

/** Fields of a recall that have their own section. */
const SECTIONED = new Set(["legs", "counts", "returned", "tiers", "request", "degraded", "ftsTop", "vecTop", "fusedTop", "scope", "scope_inferred", "lanes", "tokens"]);

/** A receipt in a few words. */
function summary(receipt) {
  if (receipt.op === "recall") {
    if (receipt.skipped) return `skipped: ${words(receipt.skipped)}`;
    const mode = receipt.request?.mode === "search" ? "found" : "recalled";
    return `${mode} ${counted(receipt.counts?.returned ?? 0, "hit")} of ${counted(receipt.counts?.candidates ?? 0, "candidate")}, ${counted(receipt.tokens ?? 0, "token")}`;
  }
  if (receipt.op === "index" && receipt.files) return `${counted(receipt.files.seen ?? 0, "file")} checked, ${whole((receipt.files.added ?? 0) + (receipt.files.changed ?? 0))} new or changed`;
  const numbers = Object.entries(receipt).filter(([name, value]) => !ENVELOPE.has(name) && typeof value === "number" && value > 0);
  return numbers.slice(0, 3).map(([name, value]) => `${titled(name).toLowerCase()} ${whole(value)}`).join(", ") || IDLE;
}

// --- one receipt -----------------------------------------------------------------------------------------------------

export async function showReceipt({ api, root, signal, title }, id) {
  root.classList.add("narrow");
  const find = lookup(api, signal);
  const path = `/v1/receipts/${encodeURIComponent(id)}`;
  await loaded(root, signal, () => api.get(path, {}, { signal }), (receipt) => {
    title(`Receipt of ${receipt.op}`);
    const verdict = h("div", { class: "stack", role: "status" });
    const replay = receipt.op === "recall" && button("Replay", () => again(), { kind: "main-action", symbol: "repeat" });
    async function again(query) {
      const free = occupied(replay);
      fill(verdict, waiting(""));
      try {
        const found = await api.post(`${path}/replay`, query ? { query } : {}, { signal });
        fill(verdict, judged(found));
      } catch (error) {
        if (signal.aborted || error.status === 401) return;
        fill(verdict, error.field === "query" ? askFor(again) : failure(error));
      } finally {
        free();
      }
    }
    return [
      head(`Receipt of ${words(receipt.op)}`, [summary(receipt), ", ", when(receipt.at, "moment")], [receipt.op === "recall" && h("a", { class: "button", href: `#/receipts?${new URLSearchParams({ op: "recall", with: receipt.id })}` }, icon("swap"), h("span", {}, "Compare")), replay], { crumb: h("a", { href: "#/receipts" }, "Receipts") }),
      verdict,
      (receipt.degraded ?? []).map((each) => notice("warn", "Degraded", h("p", {}, words(each)))),
      receipt.op === "recall" ? recall(receipt, find) : rest(receipt),
      envelope(receipt),
      raw(receipt),
    ];
  }, { title: "Receipt" });
}

function askFor(again) {
  const query = h("input", { class: "input", required: true, autocomplete: "off" });
  return notice("", "The receipt does not contain the question", h("p", {}, "Enter it again to compare the answers."),
    h("form", { class: "stack tight", on: { submit: (event) => {
      event.preventDefault();
      again(query.value);
    } } }, field("Question", query), h("div", {}, button("Replay", null, { type: "submit", kind: "small" }))));
}

function judged(found) {
  const about = found.same
    ? h("p", {}, "The replay returned the same hits with the same scores.")
    : h("ul", { class: "reasons" }, found.differences.map((each) => h("li", {}, each)));
  return notice(found.same ? "good" : "warn", found.same ? "Same answer" : "Different answer", about,
    !found.same && found.hits?.length > 0 && h("ol", { class: "returned" }, found.hits.map((hit, at) => h("li", {}, h("span", { class: "num" }, at + 1), traceLink(hit.id, hit.trace), h("span", { class: "num" }, hit.score.toFixed(3))))));
}

function recall(receipt, find) {
  return [
    receipt.returned?.length > 0 && panel("Hits", `${came(receipt)}, ${counted(receipt.tokens ?? 0, "token")}`, returned(receipt.returned, find)),
    h("div", { class: "cols-2 even" }, receipt.legs && panel("Retrieval", null, legs(receipt.legs)), receipt.counts && panel("Selection", null, funnel(receipt.counts))),
    receipt.request && panel("Request", "the text is not stored here", facts([["Scope", receipt.scope_inferred ? `${receipt.scope} (inferred)` : receipt.scope], ["Lanes", receipt.lanes?.join(", ")], ...pairs(receipt.request).filter(([name]) => !["Scope", "Lanes"].includes(name))])),
  ];
}

function came({ returned: listed, counts }) {
  const all = counts?.returned ?? listed.length;
  return all > listed.length ? `the first ${listed.length} of ${counted(all, "hit")}` : counted(all, "hit");
}

function returned(hits, find) {
  return h("ol", { class: "returned" }, hits.map((hit, at) => {
    const link = traceLink(hit.id, undefined);
    find(hit.id).then((found) => (link.textContent = found?.text ?? `no longer available (${hit.id})`), () => {});
    return h("li", {}, h("span", { class: "num" }, at + 1), link, h("span", { class: "num" }, hit.score.toFixed(3)));
  }));
}

function legs(given) {
  const most = Math.max(0.001, ...Object.values(given).map((leg) => leg.ms ?? 0));
  return h("ul", { class: "legs" }, Object.entries(given).map(([name, leg]) => h("li", { class: "leg" },
    h("span", {}, LEG_NAMES[name] ?? titled(name)),
    h("div", { class: "bar", "aria-hidden": "true" }, h("i", { class: "c1", style: { "inline-size": `${(100 * (leg.ms ?? 0)) / most}%` } })),
    h("span", { class: "num quiet" }, leg.absent ? `unavailable: ${words(leg.absent)}` : `${whole(leg.candidates)} in ${milliseconds(leg.ms)}`))));
}

function funnel(counts) {
  return facts([
    ["Candidates", whole(counts.candidates)],
    ...Object.entries(counts.dropped ?? {}).map(([reason, number]) => [`− ${dropName(reason)}`, whole(number)]),
    ["Returned", h("b", {}, whole(counts.returned))],
  ]);
}

/** Everything without its own section. */
function rest(receipt) {
  const rows = left(receipt, new Set());
  return rows.length > 0 && panel("Result", null, facts(rows));
}

const left = (receipt, shown) => pairs(Object.fromEntries(Object.entries(receipt).filter(([name]) => !ENVELOPE.has(name) && !shown.has(name))));

function pairs(given) {
  return Object.entries(given).map(([name, value]) => [titled(name), plain(value)]).filter(([, value]) => value !== null);
}

function plain(value) {
  if (value === null || value === undefined || value === "") return null;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return Number.isInteger(value) ? whole(value) : value.toFixed(3);
  if (Array.isArray(value)) {
    if (!value.length) return null;
    return value.every((each) => typeof each !== "object") ? value.join(", ") : h("div", { class: "stack tight" }, value.map((each) => h("div", {}, plain(each))));
  }
  if (typeof value === "object") {
    const inner = Object.entries(value).map(([name, each]) => [titled(name), plain(each)]).filter(([, each]) => each !== null);
    return inner.length ? h("ul", {}, inner.map(([name, each]) => h("li", {}, h("span", { class: "quiet" }, `${name} `), each))) : null;
  }
  return String(value);
}

function envelope(receipt) {
  return panel("Details", null, facts([
    ["Receipt", h("span", { class: "mono" }, receipt.id)],
    ["Agent", receipt.agent],
    ["User", receipt.user],
    ["Ledger position", whole(receipt.position)],
    ["Duration", milliseconds(receipt.latency_ms)],
    ...(receipt.op === "recall" ? left(receipt, SECTIONED) : []),
  ]));
}

function raw(receipt) {
  const text = JSON.stringify(receipt, null, 2);
  return h("section", { class: "panel" }, fold("Raw JSON", receipt.schema, h("div", { class: "stack tight" }, h("pre", { class: "code", tabindex: "0" }, text), h("div", {}, copyButton(text, "Copy receipt")))));
}
