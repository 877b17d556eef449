/** Receipts: what operations did, and whether a recall gives the same answer again. */

import { fill, h, receiptPath } from "../dom.js";
import { counted, milliseconds, moment, title as titled, whole, words } from "../format.js";
import { dropName } from "../palette.js";
import { button, copyButton, empty, facts, field, fold, head, loaded, notice, panel, select, traceLink, trouble, waiting, when } from "../parts.js";
import { settled } from "../live.js";
import { lookup } from "./events.js";

const PAGE = 30;
const OPS = [
  "recall", "remember", "ingest", "keep_turns", "forget", "restore", "erase", "synthesize", "import", "import_markdown", "index", "run_jobs",
  "consolidate", "undo_consolidation", "backfill", "backup",
];
const IDLE = "nothing to do";
const ENVELOPE = new Set(["schema", "id", "op", "at", "agent", "user", "position", "latency_ms"]);

/** Facts of a recall that have a section of their own. */
const SECTIONED = new Set(["legs", "counts", "returned", "tiers", "asked", "degraded", "ftsTop", "vecTop", "fusedTop", "scope", "scope_inferred", "lanes", "tokens"]);

// --- all of them --------------------------------------------------------------------------------------------------------

export async function showReceipts({ api, live, root, signal, query }) {
  const op = query.get("op") ?? "";
  const body = h("tbody");
  const table = h("div", { class: "panel flush", hidden: true }, h("table", { class: "table slips" },
    h("thead", {}, h("tr", {}, ["When", "Operation", "What it did"].map((name) => h("th", { scope: "col" }, name)), h("th", { scope: "col", class: "num" }, "Took"))), body));
  const foot = h("div", { class: "row" });
  const ops = OPS.includes(op) || !op ? OPS : [op, ...OPS];
  const choice = select([["", "All operations"], ...ops.map((each) => [each, words(each)])], op, {
    class: "select auto", "aria-label": "Operation",
    changed: (value) => (location.hash = value ? `#/receipts?${new URLSearchParams({ op: value })}` : "#/receipts"),
  });
  const newer = h("div", { class: "stack tight" });
  fill(root, head("Receipts", "What each operation did: ids, counts, reasons and milliseconds, never text.", choice), newer, table, foot);
  let newest = null;

  async function load(before) {
    fill(foot, waiting("", "short"));
    try {
      const found = await api.get("/v1/receipts", { limit: PAGE, op, before }, { signal });
      if (signal.aborted) return;
      newest ??= found.receipts[0]?.id ?? "";
      body.append(...found.receipts.map(row));
      table.hidden = !body.hasChildNodes();
      fill(foot, found.next && button("Show older", () => load(found.next)), !body.hasChildNodes() && empty("receipts", "No receipts", "Everything that is asked or changed leaves one here."));
    } catch (error) {
      if (!signal.aborted && error.status !== 401) fill(foot, trouble(error, () => load(before)));
    }
  }
  const look = async () => {
    const found = await api.get("/v1/receipts", { limit: PAGE, op }, { signal }).catch(() => null);
    if (!found || signal.aborted || newest === null) return;
    const at = found.receipts.findIndex((each) => each.id === newest);
    const fresh = at < 0 ? found.receipts : found.receipts.slice(0, at);
    fill(newer, fresh.length > 0 && button(`${fresh.length} new`, () => {
      fill(newer);
      newest = fresh[0].id;
      body.prepend(...fresh.map(row));
      table.hidden = false;
    }, { kind: "main-action newer", symbol: "plus" }));
  };
  const soon = settled(look, signal);
  let position = live.state?.position ?? null;
  live.on("state", signal, (state) => {
    if (position !== null && state.position !== position) soon();
    position = state.position;
  });
  await load();
}

function row(receipt) {
  const did = summary(receipt);
  const cell = (content, kind = "") => h("td", { class: kind }, content);
  return h(
    "tr",
    { class: did === IDLE ? "idle" : "", tabindex: "-1", data: { item: "" } },
    cell(h("a", { href: receiptPath(receipt.id), "aria-label": `Receipt of ${receipt.op}, ${moment(receipt.at)}` }, when(receipt.at)), "nowrap"),
    cell(words(receipt.op), "nowrap"),
    cell(h("span", {}, did, receipt.degraded?.length > 0 && [" ", h("span", { class: "chip warn" }, "degraded")]), "whole"),
    cell(milliseconds(receipt.latency_ms), "num"),
  );
}

/** A receipt in a few words. */
function summary(receipt) {
  if (receipt.op === "recall") {
    if (receipt.skipped) return `skipped: ${words(receipt.skipped)}`;
    const mode = receipt.asked?.mode === "search" ? "found" : "recalled";
    return `${mode} ${counted(receipt.counts?.returned ?? 0, "hit")} of ${counted(receipt.counts?.candidates ?? 0, "candidate")}, ${counted(receipt.tokens ?? 0, "token")}`;
  }
  if (receipt.op === "index" && receipt.files) return `${counted(receipt.files.seen ?? 0, "file")} looked at, ${whole((receipt.files.added ?? 0) + (receipt.files.changed ?? 0))} new or changed`;
  const told = Object.entries(receipt).filter(([name, value]) => !ENVELOPE.has(name) && typeof value === "number" && value > 0);
  return told.slice(0, 3).map(([name, value]) => `${titled(name).toLowerCase()} ${whole(value)}`).join(", ") || IDLE;
}

// --- one of them --------------------------------------------------------------------------------------------------------

export async function showReceipt({ api, root, signal, title }, id) {
  root.classList.add("narrow");
  const find = lookup(api, signal);
  const path = `/v1/receipts/${encodeURIComponent(id)}`;
  await loaded(root, signal, () => api.get(path, {}, { signal }), (receipt) => {
    title(`Receipt of ${receipt.op}`);
    const verdict = h("div", { class: "stack", role: "status" });
    const replay = receipt.op === "recall" && button("Replay", () => again(), { kind: "main-action", symbol: "repeat" });
    async function again(query) {
      replay.disabled = true;
      fill(verdict, waiting(""));
      try {
        const found = await api.post(`${path}/replay`, query ? { query } : {}, { signal });
        fill(verdict, judged(found));
      } catch (error) {
        if (signal.aborted || error.status === 401) return;
        fill(verdict, error.field === "query" ? askFor(again) : trouble(error));
      } finally {
        replay.disabled = false;
      }
    }
    return [
      head(`Receipt of ${words(receipt.op)}`, [summary(receipt), ", ", when(receipt.at, "moment")], replay, { crumb: h("a", { href: "#/receipts" }, "Receipts") }),
      verdict,
      (receipt.degraded ?? []).map((each) => notice("warn", "Done with less than usual", h("p", {}, words(each)))),
      receipt.op === "recall" ? recall(receipt, find) : rest(receipt),
      envelope(receipt),
      raw(receipt),
    ];
  }, { title: "Receipt" });
}

function askFor(again) {
  const query = h("input", { class: "input", required: true, autocomplete: "off" });
  return notice("", "The question was not kept with the receipt", h("p", {}, "Give it again, and the answers are compared."),
    h("form", { class: "stack tight", on: { submit: (event) => {
      event.preventDefault();
      again(query.value);
    } } }, field("Question", query), h("div", {}, button("Replay it", null, { type: "submit", kind: "small" }))));
}

function judged(found) {
  const about = found.same
    ? h("p", {}, "Asked again of what was known then, it gives the same hits with the same scores.")
    : h("ul", { class: "reasons" }, found.differences.map((each) => h("li", {}, each)));
  return notice(found.same ? "good" : "warn", found.same ? "The same answer" : "A different answer", about,
    !found.same && found.hits?.length > 0 && h("ol", { class: "returned" }, found.hits.map((hit, at) => h("li", {}, h("span", { class: "num" }, at + 1), traceLink(hit.id, hit.trace), h("span", { class: "num" }, hit.score.toFixed(3))))));
}

function recall(receipt, find) {
  return [
    receipt.returned?.length > 0 && panel("What came back", `${came(receipt)}, ${counted(receipt.tokens ?? 0, "token")}`, returned(receipt.returned, find)),
    h("div", { class: "cols-2 even" }, receipt.legs && panel("How it was found", null, legs(receipt.legs)), receipt.counts && panel("What became of the candidates", null, funnel(receipt.counts))),
    receipt.asked && panel("What was asked", "the words are not kept here", facts([["Scope", receipt.scope_inferred ? `${receipt.scope} (inferred)` : receipt.scope], ["Lanes", receipt.lanes?.join(", ")], ...pairs(receipt.asked).filter(([name]) => !["Scope", "Lanes"].includes(name))])),
  ];
}

function came({ returned: told, counts }) {
  const all = counts?.returned ?? told.length;
  return all > told.length ? `the first ${told.length} of ${counted(all, "hit")}` : counted(all, "hit");
}

function returned(hits, find) {
  return h("ol", { class: "returned" }, hits.map((hit, at) => {
    const link = traceLink(hit.id, undefined);
    find(hit.id).then((found) => (link.textContent = found?.text ?? `no longer here (${hit.id})`), () => {});
    return h("li", {}, h("span", { class: "num" }, at + 1), link, h("span", { class: "num" }, hit.score.toFixed(3)));
  }));
}

function legs(given) {
  const most = Math.max(0.001, ...Object.values(given).map((leg) => leg.ms ?? 0));
  return h("ul", { class: "legs" }, Object.entries(given).map(([name, leg]) => h("li", { class: "leg" },
    h("span", {}, titled(name)),
    h("div", { class: "bar", "aria-hidden": "true" }, h("i", { class: "c1", style: { "inline-size": `${(100 * (leg.ms ?? 0)) / most}%` } })),
    h("span", { class: "num quiet" }, leg.absent ? `absent: ${words(leg.absent)}` : `${whole(leg.candidates)} in ${milliseconds(leg.ms)}`))));
}

function funnel(counts) {
  return facts([
    ["Candidates", whole(counts.candidates)],
    ...Object.entries(counts.dropped ?? {}).map(([reason, number]) => [`− ${dropName(reason)}`, whole(number)]),
    ["Returned", h("b", {}, whole(counts.returned))],
  ]);
}

/** All that has no section of its own. */
function rest(receipt) {
  const rows = left(receipt, new Set());
  return rows.length > 0 && panel("What it did", null, facts(rows));
}

const left = (receipt, told) => pairs(Object.fromEntries(Object.entries(receipt).filter(([name]) => !ENVELOPE.has(name) && !told.has(name))));

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
    ["At position", whole(receipt.position)],
    ["Took", milliseconds(receipt.latency_ms)],
    ...(receipt.op === "recall" ? left(receipt, SECTIONED) : []),
  ]));
}

function raw(receipt) {
  const text = JSON.stringify(receipt, null, 2);
  return h("section", { class: "panel" }, fold("Raw JSON", receipt.schema, h("div", { class: "stack tight" }, h("pre", { class: "code", tabindex: "0" }, text), h("div", {}, copyButton(text, "Copy the receipt")))));
}
