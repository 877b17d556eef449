/** The list of receipts: one line each, with the question where it is kept, else the first hit. */

import { fill, h, receiptPath } from "../dom.js";
import { counted, milliseconds, moment, title as titled, whole, words } from "../format.js";
import { settled } from "../live.js";
import { button, empty, failure, head, select, waiting, when } from "../parts.js";

const PAGE = 50;
const ALL = "all";
const OPS = [
  "recall", "remember", "ingest", "store_turns", "forget", "restore", "erase", "synthesize", "import", "import_markdown", "index", "run_jobs",
  "consolidate", "undo_consolidation", "backfill", "backup", "drill", "grade", "writeback", "canary", "retry_job", "cancel_job",
];
const OUTCOMES = { answered: "good bare", silent: "", skipped: "bare", degraded: "warn" };
const OUTCOME_NAMES = { answered: "found something", silent: "found nothing", skipped: "skipped", degraded: "degraded, found nothing", ok: "other operations" };
const IDLE = "no changes";

export async function showReceipts({ api, live, root, signal, query }) {
  root.classList.add("wide");
  const chosenOp = query.get("op") ?? "recall";
  const wanted = { op: chosenOp === ALL ? "" : chosenOp, outcome: query.get("outcome") ?? "", session: query.get("session") ?? "" };
  const chosen = new Set([query.get("with")].filter(Boolean));
  const go = (changes) => {
    const next = { ...wanted, op: chosenOp, with: query.get("with") ?? "", ...changes };
    const fields = new URLSearchParams(Object.entries(next).filter(([name, value]) => value && !(name === "op" && value === "recall")));
    location.hash = `#/receipts${fields.size ? `?${fields}` : ""}`;
  };
  const body = h("tbody");
  const table = h("div", { class: "panel flush", hidden: true }, h("table", { class: "table slips log" },
    h("caption", { class: "hidden" }, "Receipts, newest first"),
    h("thead", {}, h("tr", {}, [["", "pick"], ["When", ""], ["Operation", ""], ["Question or first hit", ""], ["Result", ""], ["Hits", "num"], ["Tokens", "num"], ["Duration", "num"]].map(([name, kind]) => h("th", { scope: "col", class: kind }, name || h("span", { class: "hidden" }, "Compare"))))), body));
  const foot = h("div", { class: "row" });
  const newer = h("div", { class: "stack tight" });
  const pair = h("div", { class: "row", role: "status" });
  fill(root, head("Receipts", "What each recall found, and what every other operation did. Tick two recalls to compare them.", filters(wanted, go)), newer, pair, table, foot);
  let newest = null;

  const line = (receipt) => row(receipt, chosen, () => showPair());
  const showPair = () => fill(pair, chosen.size > 0 && [
    h("span", { class: "small" }, chosen.size === 1 ? "One recall is ticked. Tick another to compare them." : "Two recalls are ticked."),
    chosen.size === 2 && h("a", { class: "button main-action small", href: comparisonPath([...chosen]) }, "Compare"),
    button("Clear", () => {
      chosen.clear();
      for (const box of body.querySelectorAll("input:checked")) box.checked = false;
      showPair();
    }, { kind: "small plain" }),
  ]);
  async function load(before) {
    fill(foot, waiting("", "short"));
    try {
      const found = await api.get("/v1/receipts/log", { limit: PAGE, before, ...wanted }, { signal });
      if (signal.aborted) return;
      newest ??= found.receipts[0]?.id ?? "";
      body.append(...found.receipts.map(line));
      table.hidden = !body.hasChildNodes();
      const isNarrow = Object.values(wanted).some(Boolean);
      fill(foot, found.next && button("Show older", () => load(found.next)), !body.hasChildNodes() && empty("receipts", isNarrow ? "No receipt matches" : "No receipts", isNarrow ? "Other filters may show more." : "Every operation leaves a receipt here."));
    } catch (error) {
      if (!signal.aborted && error.status !== 401) fill(foot, failure(error, () => load(before)));
    }
  }
  const look = async () => {
    const found = await api.get("/v1/receipts/log", { limit: PAGE, ...wanted }, { signal }).catch(() => null);
    if (!found || signal.aborted || newest === null) return;
    const at = found.receipts.findIndex((each) => each.id === newest);
    const fresh = at < 0 ? found.receipts : found.receipts.slice(0, at);
    fill(newer, fresh.length > 0 && button(`${fresh.length} new`, () => {
      fill(newer);
      newest = fresh[0].id;
      body.prepend(...fresh.map(line));
      table.hidden = false;
    }, { kind: "main-action newer", symbol: "plus" }));
  };
  live.onChange((state) => state.position, signal, settled(look, signal));
  showPair();
  await load();
}

/** Where two receipts are compared. */
export const comparisonPath = ([one, other]) => `#/receipts/${encodeURIComponent(one)}/compare/${encodeURIComponent(other)}`;

function filters(wanted, go) {
  const ops = OPS.includes(wanted.op) || !wanted.op ? OPS : [wanted.op, ...OPS];
  const session = h("input", { class: "input auto", type: "search", value: wanted.session, placeholder: "Any session", "aria-label": "Session", autocomplete: "off", spellcheck: "false", maxlength: 256 });
  return [
    select([["recall", "Recalls and searches"], [ALL, "All operations"], ...ops.filter((each) => each !== "recall").map((each) => [each, words(each)])], wanted.op || ALL, { class: "select auto", "aria-label": "Operation", changed: (op) => go({ op }) }),
    select([["", "Any result"], ...Object.entries(OUTCOME_NAMES)], wanted.outcome, { class: "select auto", "aria-label": "Result", changed: (outcome) => go({ outcome }) }),
    h("form", { on: { submit: (event) => {
      event.preventDefault();
      go({ session: session.value.trim() });
    } } }, session),
  ];
}

function row(receipt, chosen, changed) {
  const cell = (content, kind = "") => h("td", { class: kind }, content);
  const isRecall = receipt.op === "recall";
  const did = isRecall ? null : summary(receipt);
  const box = isRecall && h("input", { type: "checkbox", checked: chosen.has(receipt.id), "aria-label": `Compare the recall of ${moment(receipt.at)}`, on: { change: () => {
    chosen[box.checked ? "add" : "delete"](receipt.id);
    if (chosen.size > 2) {
      const first = [...chosen][0];
      chosen.delete(first);
      const other = box.closest("tbody").querySelector(`tr[data-receipt="${first}"] input`);
      if (other) other.checked = false;
    }
    changed();
  } } });
  return h(
    "tr",
    { class: did === IDLE ? "idle" : "", tabindex: "-1", data: { item: "", receipt: receipt.id } },
    cell(box, "pick"),
    cell(h("a", { href: receiptPath(receipt.id), "aria-label": `Receipt of ${receipt.op}, ${moment(receipt.at)}` }, when(receipt.at)), "nowrap"),
    cell(receipt.mode === "search" ? "search" : words(receipt.op), "nowrap"),
    cell(isRecall ? about(receipt) : h("span", { class: "quiet" }, did), "whole line"),
    cell([isRecall ? h("span", { class: ["chip", OUTCOMES[receipt.outcome]] }, receipt.skipped ? `skipped: ${words(receipt.skipped)}` : receipt.outcome) : null, receipt.degraded.length > 0 && h("span", { class: "chip warn", title: receipt.degraded.map(words).join(", ") }, "degraded"), receipt.arm === "canary" && h("span", { class: "chip accent" }, "canary")], "nowrap results-of"),
    cell(receipt.hits === null ? "" : whole(receipt.hits), "num"),
    cell(receipt.tokens === null ? "" : whole(receipt.tokens), "num"),
    cell(milliseconds(receipt.latency_ms), "num"),
  );
}

/** What a recall was about: its question, else its first hit. */
function about(receipt) {
  if (receipt.question !== null) return h("span", { class: "question", title: receipt.question }, receipt.question);
  if (receipt.first_text !== null) return h("span", { class: "first-hit", title: receipt.first_text }, h("span", { class: "quiet" }, "found "), receipt.first_text);
  return h("span", { class: "quiet" }, receipt.first_hit ? "its first hit is gone" : "the question is not kept");
}

/** What another operation did, in a few numbers. */
function summary(receipt) {
  const numbers = Object.entries(receipt.numbers);
  const told = numbers.length > 1 ? numbers.filter(([name]) => name !== "touched") : numbers;
  return told.map(([name, value]) => `${titled(name).toLowerCase()} ${whole(value)}`).join(", ") || IDLE;
}
