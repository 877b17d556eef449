/** Health: what is there, what is degraded, and how to fix it. */

import { fill, h } from "../dom.js";
import { bytes, counted, storeName, title as titled, whole, words } from "../format.js";
import { icon } from "../icons.js";
import { settled } from "../live.js";
import { button, facts, fix, head, loaded, notice, panel, sentence, when } from "../parts.js";

export async function showHealth({ api, live, root, signal, canAdminister }) {
  root.classList.add("wide");
  const place = h("div", { class: "stack" });
  const checks = h("div");
  const doctor = () => loaded(fill(checks), signal, () => api.get("/v1/doctor", {}, { signal }), (found) => checked(found));
  fill(root, head("Health", null, canAdminister && button("Run doctor", doctor, { symbol: "shield" })), place, checks);
  const ask = async () => {
    const kept = canAdminister ? api.get("/v1/backups", {}, { signal }).then((found) => found.backups, () => null) : null;
    return [await api.get("/v1/status", {}, { signal }), await kept];
  };
  let shown = "";
  const load = () => loaded(place, signal, ask, ([found, backups]) => {
    const now = JSON.stringify([found, backups]);
    if (now === shown) return undefined;
    shown = now;
    return [
      verdict(found),
      found.degraded.map((each) => notice("warn brief", titled(each.what), h("p", {}, sentence(each.why)), fix(each.fix))),
      h("div", { class: "components" }, cards(found, backups)),
      anomalies(found.anomalies ?? []),
      hookFailures(found.hook_failures ?? {}),
    ];
  });
  const soon = settled(load, signal, { quiet: 800, most: 3_000 });
  live.onChange(JSON.stringify, signal, soon);
  await load();
}

function verdict(found) {
  if (!found.degraded.length) return notice("good", "Everything works", h("p", {}, "The store, the index and all providers are available."));
  return h("p", { class: "quiet small" }, "Your memories are safe. Search may find less until this is fixed:");
}

function cards(found, backups) {
  const jobs = found.jobs ?? {};
  return [
    card("Store", storeName(found.store), "good", [
      ["Size", found.store?.bytes && bytes(found.store.bytes)],
      ["Contains", counted(found.counts.total, "record")],
      ["Ledger position", whole(found.position)],
      ["Path", found.store?.path && h("span", { class: "mono" }, found.store.path)],
    ]),
    card("Embedder", ...able(found.embedder), [
      ["Model", found.embedder?.model],
      ["Provider", found.embedder?.provider],
      ["Dimension", found.embedder?.dimension && whole(found.embedder.dimension)],
      ["Embedded", whole(found.vectors?.embedded ?? 0)],
      ["Missing", found.vectors?.lacking ? h("span", { class: "chip warn" }, whole(found.vectors.lacking)) : "none"],
      ["Problem", problem(found.embedder)],
    ]),
    card("Reranker", ...able(found.reranker), [["Model", found.reranker?.name], ["Used by", "recipes with reranking"], ["Problem", problem(found.reranker)]]),
    card("Language model", ...(found.llm?.provider === "none" ? ["not configured", ""] : able(found.llm)), [
      ["Provider", found.llm?.provider === "none" ? "none (rules extract memories)" : found.llm?.provider],
      ["Model", found.llm?.model],
      ["Problem", problem(found.llm)],
    ]),
    found.files && card("Files", found.files.reindexing ? "reindexing" : found.files.unreadable?.length ? "unreadable files" : "indexed", found.files.unreadable?.length ? "warn" : "good", [
      ["Files", whole(found.files.files ?? 0)],
      ["Chunks", whole(found.files.chunks ?? 0)],
      ["Last sync", found.files.last_sync && when(found.files.last_sync)],
      ["Watching", found.files.watching && (found.files.watching.trouble ?? (found.files.watching.active ? "yes" : "no"))],
      ["Folders", found.files.sources?.length > 0 && h("ul", {}, found.files.sources.map((source) => h("li", {}, source.name, " ", h("span", { class: "quiet" }, source.lane))))],
      ["Unreadable", found.files.unreadable?.length > 0 && counted(found.files.unreadable.length, "file")],
    ]),
    card("Background jobs", jobs.failed ? `${whole(jobs.failed)} failed` : jobs.running ? "running" : "OK", jobs.failed ? "bad" : "good", [
      ["Waiting", whole(jobs.waiting ?? 0)],
      ["Running", jobs.running === undefined ? null : whole(jobs.running)],
      ["Failed", whole(jobs.failed ?? 0)],
      ["Next", jobs.next && when(jobs.next)],
      ["Receipts lost", found.receipts_lost > 0 && whole(found.receipts_lost)],
    ]),
    backups && card("Backups", backups.length ? "available" : "none yet", backups.length ? "good" : "", [
      ["Count", whole(backups.length)],
      ["Newest", backups.length > 0 && when(backups[0].at)],
      ["Size", backups.length > 0 && bytes(backups[0].bytes)],
      ["File", backups.length > 0 && h("span", { class: "mono" }, String(backups[0].file).split("/").at(-1))],
      ["Create one", backups.length === 0 && h("code", {}, "cortex backup create")],
    ]),
    card("Installation", `version ${found.version}`, "", [
      ["Agent", found.agent],
      ["User", found.user],
      ["Recipe", found.recipe],
      ["Home", h("span", { class: "mono" }, found.home)],
    ]),
  ].filter(Boolean);
}

/** The state of a provider: `available` is null until it has been used. */
function able(provider) {
  if (!provider || provider.provider === "none") return ["turned off", ""];
  if (provider.available === false) return ["not working", "bad"];
  return provider.available ? ["working", "good"] : ["not used yet", ""];
}

const problem = (provider) => provider?.trouble?.message ?? (typeof provider?.trouble === "string" ? provider.trouble : null);

function card(name, state, tone, rows) {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  return h("section", { class: ["component", tone] }, h("h2", {}, name), h("div", {}, state && h("span", { class: ["chip", tone] }, state)), h("dl", {}, shown.map(([about, value]) => h("div", {}, h("dt", {}, about), h("dd", {}, value)))));
}

function anomalies(found) {
  return found.length > 0 && panel("Anomalies", counted(found.length, "anomaly", "anomalies"), h("ul", { class: "checks" }, found.map((each) =>
    h("li", { class: "check warn" }, icon("warn"), h("div", { class: "body" }, h("div", {}, h("b", {}, words(each.code)), " ", each.at && h("span", { class: "quiet" }, when(each.at))), h("p", {}, each.detail), fix(each.fix))))));
}

function hookFailures(found) {
  const rows = Object.entries(found);
  return rows.length > 0 && panel("Turns without memories", "since the server started", facts(rows.map(([code, number]) => [words(code), typeof number === "object" ? JSON.stringify(number) : counted(number, "time")])));
}

function checked(found) {
  const tone = (ok) => (ok === true ? ["ok", "good", "OK"] : ok === false ? ["bad", "bad", "failed"] : ["warn", "warn", "warning"]);
  return panel("Doctor", found.ok ? "no problems" : "problems found", h("ul", { class: "checks" }, found.checks.map((check) => {
    const [kind, symbol, word] = tone(check.ok);
    return h("li", { class: ["check", kind] }, icon(symbol), h("div", { class: "body" }, h("div", {}, h("b", {}, words(check.name)), h("span", { class: "hidden" }, `: ${word}`), h("span", { class: "quiet" }, ` ${check.detail}`)), check.ok !== true && fix(check.fix)));
  })));
}
