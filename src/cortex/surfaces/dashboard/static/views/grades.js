/** Grades: how much memories matter by the grader, and what a writeback would fill. */

import { fill, h, receiptPath } from "../dom.js";
import { ago, counted, percent, whole, words } from "../format.js";
import { LABELS, labelColor } from "../palette.js";
import { button, dialog, empty, failure, head, loaded, notice, occupied, panel, tiles, toast, when } from "../parts.js";

const RUNS = 10;
/** How many receipts are read: comparisons and plans are no runs. */
const MOST_READ = 100;
const isRun = (receipt) => !receipt.dry_run && !receipt.compare;
const nameOf = (label) => (label === "unknown" ? "not rated" : words(label));

export async function showGrades({ api, root, signal, canAdminister }) {
  root.classList.add("wide");
  const verdict = h("div", { class: "stack", role: "status" });
  const place = h("div", { class: "stack" });
  const ask = async () => Promise.all([
    api.get("/v1/stats", { lane: "memories" }, { signal }),
    ...["grade", "writeback"].map(async (op) => (await api.get("/v1/receipts", { op, limit: MOST_READ }, { signal })).receipts),
  ]);
  const load = () => loaded(place, signal, ask, ([stats, graded, written]) => [
    tiles(figures(stats, graded, written)),
    stats.total > 0 && h("div", { class: "cols-2" }, labels(stats), runs([...graded, ...written])),
  ]);
  /** Do what a button says, and show what came of it. */
  const act = async (pressed, run) => {
    const free = occupied(pressed);
    fill(verdict);
    try {
      const shown = await run();
      if (shown) fill(verdict, shown);
      await load();
    } catch (error) {
      if (!signal.aborted && error.status !== 401) fill(verdict, failure(error));
    } finally {
      free();
    }
  };
  const press = (label, run, options = {}) => button(label, (event) => act(event.currentTarget, run), options);
  const tools = canAdminister && [
    press("Compare", async () => compared(await api.post("/v1/grade", { compare: true }, { signal })), { symbol: "swap" }),
    press("Grade now", async () => {
      const done = await api.post("/v1/grade", {}, { signal });
      toast(done.graded ? `${counted(done.graded, "memory", "memories")} graded` : "All grades were up to date");
      return done.stopped && notice("warn", "The grader stopped", h("p", {}, words(done.stopped)));
    }, { symbol: "spark" }),
    press("Write back…", () => writeBack(), { symbol: "pen" }),
  ];
  /** The plan first; only then the writeback. */
  async function writeBack() {
    const plan = await api.post("/v1/writeback", { dry_run: true }, { signal });
    if (!plan.updated) return notice("", "There is nothing to write back", h("p", {}, `${counted(plan.graded, "graded memory", "graded memories")}: every field that nobody set has its value.`));
    const fields = Object.entries(plan.filled_fields).map(([name, number]) => h("li", {}, `${words(name)}: ${whole(number)}`));
    const done = await dialog(`Fill fields of ${counted(plan.updated, "memory", "memories")}?`, h("div", { class: "stack tight" }, h("ul", { class: "reasons" }, fields), h("p", { class: "small quiet" }, "Only fields that nobody set are filled. Recall reads them, so answers may change.")),
      (close) => [button("Not now", () => close(""), { kind: "plain" }), button("Write back", () => close("yes"), { kind: "main-action" })]);
    if (!done) return null;
    const did = await api.post("/v1/writeback", {}, { signal });
    return notice("good", "Written back", h("p", {}, `Fields of ${counted(did.updated, "memory was", "memories were")} filled.`));
  }
  fill(root, head("Grades", "How much memories matter, by the grader. A grade changes no answer until it is written back.", tools), verdict, place);
  await load();
}

function figures(stats, gradings, writebacks) {
  const [graded, written] = [gradings.find(isRun), writebacks.find(isRun)];
  const isRated = stats.total - (stats.by_label.unknown ?? 0);
  return [
    { label: "Rated", value: stats.total ? percent(isRated / stats.total) : "–", about: `${whole(isRated)} of ${counted(stats.total, "memory", "memories")}` },
    { label: "Last graded", value: graded ? ago(graded.at) : "never", about: graded ? `${graded.grader}, ${counted(graded.graded, "new grade")}` : "the server does so every 4 hours" },
    { label: "Last writeback", value: written ? ago(written.at) : "never", about: written ? `${whole(written.updated)} filled, ${whole(written.skipped)} left as they were` : "the server does so after grading" },
  ];
}

function labels(stats) {
  const shares = LABELS.filter((label) => stats.by_label[label]).map((label) => h("li", {},
    h("span", {}, nameOf(label)), h("span", { class: "num quiet" }, `${whole(stats.by_label[label])}, ${percent(stats.by_label[label] / stats.total)}`),
    h("div", { class: "bar", "aria-hidden": "true" }, h("i", { class: labelColor(label), style: { "inline-size": `${(100 * stats.by_label[label]) / stats.total}%` } }))));
  return panel("Importance now", counted(stats.total, "memory", "memories"), h("ul", { class: "shares" }, shares));
}

/** Which labels would change if everything were graded again. */
function compared(found) {
  const moves = Object.entries(found.moves).map(([move, number]) => [move.split(" -> "), number]).filter(([[from, to]]) => from !== to);
  if (!moves.length) return notice("good", "No label would change", h("p", {}, `${counted(found.memories, "memory", "memories")} compared.`));
  return panel("Labels that would change", "nothing was changed", h("table", { class: "table" },
    h("caption", { class: "hidden" }, "Labels that would change"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "From and to"), h("th", { scope: "col", class: "num" }, "Memories"))),
    h("tbody", {}, moves.map(([move, number]) => h("tr", {}, h("th", { scope: "row" }, move.map(nameOf).join(" → ")), h("td", { class: "num" }, whole(number)))))));
}

function runs(receipts) {
  if (!receipts.length) return h("section", { class: "panel" }, empty("spark", "Nothing was graded yet", null));
  const latest = receipts.sort((one, other) => (one.at < other.at ? 1 : -1)).slice(0, RUNS);
  return h("div", { class: "panel flush" }, h("table", { class: "table" },
    h("caption", { class: "hidden" }, "Runs, the latest first"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "When"), h("th", { scope: "col" }, "Run"), h("th", { scope: "col" }, "Result"))),
    h("tbody", {}, latest.map((each) => h("tr", { tabindex: "-1", data: { item: "" } },
      h("td", { class: "nowrap" }, h("a", { href: receiptPath(each.id) }, when(each.at))),
      h("td", {}, `${words(each.op)}${isRun(each) ? "" : each.compare ? " (comparison)" : " (plan)"}`),
      h("td", {}, each.op === "grade" ? `${whole(each.graded)} graded, ${whole(each.current)} up to date` : `${whole(each.updated)} filled, ${whole(each.skipped)} left`))))));
}
