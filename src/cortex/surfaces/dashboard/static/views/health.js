/** How it does: what is there, what is degraded, and how to mend it. */

import { fill, h } from "../dom.js";
import { bytes, counted, title as titled, whole, words } from "../format.js";
import { icon } from "../icons.js";
import { settled } from "../live.js";
import { button, facts, fix, head, loaded, notice, panel, when } from "../parts.js";

export async function showHealth({ api, live, root, signal, canAdminister }) {
  const place = h("div", { class: "stack" });
  const checks = h("div");
  const doctor = () => loaded(fill(checks), signal, () => api.get("/v1/doctor", {}, { signal }), (found) => checked(found));
  fill(root, head("Health", null, canAdminister && button("Run the doctor", doctor, { symbol: "shield" })), place, checks);
  const ask = async () => {
    const kept = canAdminister ? api.get("/v1/backups", {}, { signal }).then((found) => found.backups, () => null) : null;
    return [await api.get("/v1/status", {}, { signal }), await kept];
  };
  let drawn = "";
  const load = () => loaded(place, signal, ask, ([found, backups]) => {
    const now = JSON.stringify([found, backups]);
    if (now === drawn) return undefined;
    drawn = now;
    return [
      verdict(found),
      found.degraded.map((each) => notice("warn", titled(each.what), h("p", {}, each.why), fix(each.fix))),
      h("div", { class: "card-grid" }, cards(found, backups)),
      anomalies(found.anomalies ?? []),
      troubles(found.hook_troubles ?? {}),
    ];
  });
  const soon = settled(load, signal, { quiet: 800, most: 3_000 });
  let last = live.state && JSON.stringify(live.state);
  live.on("state", signal, (state) => {
    const now = JSON.stringify(state);
    if (last !== null && now !== last) soon();
    last = now;
  });
  await load();
}

function verdict(found) {
  if (!found.degraded.length) return notice("good", "All is well", h("p", {}, "The store, the index and every provider work as they are set up."));
  return h("p", { class: "quiet small" }, "What is remembered is safe. Some of it may be found less well until this is mended:");
}

function cards(found, backups) {
  const jobs = found.jobs ?? {};
  return [
    card("Store", found.store?.backend, "good", [
      ["Size", found.store?.bytes && bytes(found.store.bytes)],
      ["Holds", counted(found.counts.total, "trace")],
      ["Position", whole(found.position)],
      ["Path", found.store?.path && h("span", { class: "mono" }, found.store.path)],
    ]),
    card("Embedder", ...able(found.embedder), [
      ["Model", found.embedder?.model],
      ["Provider", found.embedder?.provider],
      ["Dimension", found.embedder?.dimension && whole(found.embedder.dimension)],
      ["Embedded", whole(found.vectors?.embedded ?? 0)],
      ["Lacking", found.vectors?.lacking ? h("span", { class: "chip warn" }, whole(found.vectors.lacking)) : "none"],
      ["Trouble", told(found.embedder)],
    ]),
    card("Reranker", ...able(found.reranker), [["Model", found.reranker?.name], ["Used by", "recipes that take a second look"], ["Trouble", told(found.reranker)]]),
    card("Language model", ...(found.llm?.provider === "none" ? ["not set up", ""] : able(found.llm)), [
      ["Provider", found.llm?.provider === "none" ? "none: rules draw the memories" : found.llm?.provider],
      ["Model", found.llm?.model],
      ["Trouble", told(found.llm)],
    ]),
    found.files && card("Files", found.files.reindexing ? "reindexing" : found.files.unreadable?.length ? "unreadable files" : "followed", found.files.unreadable?.length ? "warn" : "good", [
      ["Files", whole(found.files.files ?? 0)],
      ["Pieces", whole(found.files.chunks ?? 0)],
      ["Last look", found.files.last_sync && when(found.files.last_sync)],
      ["Watching", found.files.watching && (found.files.watching.trouble ?? (found.files.watching.active ? "yes" : "no"))],
      ["Folders", found.files.sources?.length > 0 && h("ul", {}, found.files.sources.map((source) => h("li", {}, source.name, " ", h("span", { class: "quiet" }, source.lane))))],
      ["Unreadable", found.files.unreadable?.length > 0 && counted(found.files.unreadable.length, "file")],
    ]),
    card("Background work", jobs.failed ? `${whole(jobs.failed)} failed` : jobs.running ? "at work" : "in order", jobs.failed ? "bad" : "good", [
      ["Waiting", whole(jobs.waiting ?? 0)],
      ["Running", jobs.running === undefined ? null : whole(jobs.running)],
      ["Failed", whole(jobs.failed ?? 0)],
      ["Next", jobs.next && when(jobs.next)],
      ["Receipts lost", found.receipts_lost > 0 && whole(found.receipts_lost)],
    ]),
    backups && card("Backups", backups.length ? "kept" : "none yet", backups.length ? "good" : "", [
      ["Kept", whole(backups.length)],
      ["Newest", backups.length > 0 && when(backups[0].at)],
      ["Size", backups.length > 0 && bytes(backups[0].bytes)],
      ["File", backups.length > 0 && h("span", { class: "mono" }, String(backups[0].file).split("/").at(-1))],
      ["Make one", backups.length === 0 && h("code", {}, "cortex backup")],
    ]),
    card("This installation", `version ${found.version}`, "", [
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

const told = (provider) => provider?.trouble?.message ?? (typeof provider?.trouble === "string" ? provider.trouble : null);

function card(name, state, tone, rows) {
  return h("section", { class: "card" }, h("h2", {}, name, state && h("span", { class: ["chip", tone] }, state)), facts(rows.filter(([, value]) => value !== false)));
}

function anomalies(found) {
  return found.length > 0 && panel("Worth a look", counted(found.length, "anomaly", "anomalies"), h("ul", { class: "checks" }, found.map((each) =>
    h("li", { class: "check warn" }, icon("warn"), h("div", { class: "body" }, h("div", {}, h("b", {}, words(each.code)), " ", each.at && h("span", { class: "quiet" }, when(each.at))), h("p", {}, each.detail), fix(each.fix))))));
}

function troubles(found) {
  const rows = Object.entries(found);
  return rows.length > 0 && panel("Turns that went on without memory", "since the server began", facts(rows.map(([code, number]) => [words(code), typeof number === "object" ? JSON.stringify(number) : counted(number, "time")])));
}

function checked(found) {
  const tone = (ok) => (ok === true ? ["ok", "good", "fine"] : ok === false ? ["bad", "bad", "broken"] : ["warn", "warn", "look after it"]);
  return panel("The doctor", found.ok ? "nothing is broken" : "something is broken", h("ul", { class: "checks" }, found.checks.map((check) => {
    const [kind, symbol, word] = tone(check.ok);
    return h("li", { class: ["check", kind] }, icon(symbol), h("div", { class: "body" }, h("div", {}, h("b", {}, words(check.name)), h("span", { class: "hidden" }, `: ${word}`), h("span", { class: "quiet" }, ` ${check.detail}`)), check.ok !== true && fix(check.fix)));
  })));
}
