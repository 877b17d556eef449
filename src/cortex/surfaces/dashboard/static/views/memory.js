/** One memory, turn or chunk: its text, sources, history and actions. */

import { Problem } from "../api.js";
import { difference } from "../difference.js";
import { fill, h, memoryPath } from "../dom.js";
import { counted, date, shortId, title as titled, words } from "../format.js";
import { settled } from "../live.js";
import { KINDS } from "../palette.js";
import { button, chips, confirmInWriting, copyButton, dialog, facts, failure, field, head, loaded, notice, panel, select, toast, traceLink, when } from "../parts.js";
import { EVENTS, lookup } from "./events.js";
import { citedTurns, conversationPath } from "./turns.js";

const RETENTIONS = [["permanent", "permanent"], ["project", "for its project"], ["session", "for its session"]];
/** Fields whose changes are shown. */
const COMPARED = ["kind", "scope", "importance", "label", "retention", "trust", "state", "topic", "tags", "value", "valid_to", "superseded_by"];
const DEFAULTS = { kind: "fact", importance: 0.5, label: "unknown", retention: "permanent", trust: "trusted", state: "active" };

export async function showMemory(context, id) {
  const { api, live, root, signal, title } = context;
  const path = `/v1/memories/${encodeURIComponent(id)}`;
  root.classList.add("narrow");
  const page = { context, id, path, find: lookup(api, signal), isEditing: false, isErased: false, reload };

  async function load() {
    const [[trace, tag], events] = await Promise.all([
      api.get(path, {}, { signal, withTag: true }),
      api.get("/v1/timeline", { id, limit: 200 }, { signal }).then((found) => found.events, () => []),
    ]);
    return { trace, tag, events };
  }
  let last = "";
  /** Load it again; if nothing changed, the page stays as it is. */
  function reload({ isForced = true } = {}) {
    page.isEditing = false;
    return loaded(root, signal, load, (found) => {
      const now = JSON.stringify(found);
      if (now === last && !isForced) return undefined;
      last = now;
      title(found.trace.text.slice(0, 40));
      return shown(page, found);
    }, { title: "Memory" });
  }
  const soon = settled(() => !page.isEditing && !page.isErased && !document.querySelector("dialog[open]") && reload({ isForced: false }), signal, { quiet: 900 });
  live.onChange((state) => state.position, signal, soon);
  await reload();
}

function shown(page, { trace, tag, events }) {
  const place = h("div", { class: "stack" });
  fill(place, statement(page, trace, tag, place));
  return [
    head({ memory: "Memory", turn: "Turn", chunk: "Chunk of a file" }[trace.type], null, actions(page, trace, tag, place)),
    place,
    succession(page, trace),
    sources(page, trace),
    around(page, trace),
    derived(trace),
    panel("Details", null, known(trace)),
    history(trace, events),
    happened(trace, events),
  ];
}

function statement(page, trace) {
  const isOver = trace.state !== "active";
  return h(
    "section",
    { class: "panel stack", "aria-label": "Text" },
    trace.trust !== "trusted" && notice(trace.trust === "quarantined" ? "bad" : "warn", titled(trace.trust), h("p", {}, TRUST[trace.trust])),
    isOver && notice("warn", titled(trace.state), h("p", {}, STATES[trace.state])),
    h("p", { class: ["said", isOver ? "over" : ""], dir: "auto" }, trace.text),
    chips(trace),
  );
}

const TRUST = {
  untrusted: "It comes from a tool, a web page or an import. Agents get it as information only.",
  quarantined: "It reads like an instruction and comes from an untrusted source. Agents never see it.",
};
const STATES = {
  superseded: "A newer memory replaced it. Recall leaves it out; search shows it, marked.",
  forgotten: "It is no longer recalled. Its history is kept, and it can be restored.",
  expired: "It has expired and is no longer recalled.",
};

// --- actions ---------------------------------------------------------------------------------------------------------

function actions(page, trace, tag, place) {
  if (!page.context.canWrite || trace.type === "chunk") return [];
  const erasing = page.context.canAdminister && button("Erase", () => erase(page, trace), { kind: "danger" });
  if (trace.state === "forgotten") return [button("Restore", () => restore(page), { symbol: "undo" }), erasing];
  return [
    trace.type === "memory" && trace.state === "active" && button("Edit", () => edit(page, trace, tag, place), { symbol: "pen" }),
    button("Forget", () => forget(page, trace), { symbol: "bin" }),
    erasing,
  ];
}

const excerpt = (trace) => (trace.text.length > 280 ? `${trace.text.slice(0, 280)}…` : trace.text);

async function forget(page, trace) {
  const done = await dialog(
    "Forget this memory?",
    h("div", { class: "stack" }, h("p", { class: "quote" }, excerpt(trace)), h("p", { class: "small quiet" }, "It is no longer recalled. Its history is kept, so it can be restored later.")),
    (close) => [button("Cancel", () => close("")), button("Forget it", () => close("forget"), { kind: "danger main-action" })],
  );
  if (done === "forget") await act(page, () => page.context.api.delete(page.path), "Forgotten");
}

/** Erasing cannot be undone, so it must be confirmed in writing. */
async function erase(page, trace) {
  const { api, root } = page.context;
  const count = trace.sources?.length ?? 0;
  const withSources = count ? h("input", { type: "checkbox" }) : null;
  const done = await confirmInWriting("Erase permanently?", [
    h("p", { class: "quote" }, excerpt(trace)),
    h("p", { class: "small quiet" }, "This removes its text, versions, vectors and all memories extracted from it, then checks that nothing is left. It cannot be undone. To hide it and keep its history, forget it instead."),
    withSources && h("label", { class: "tick" }, withSources, h("span", {}, `Also erase the ${counted(count, "turn")} it was extracted from`)),
  ], "Erase permanently");
  if (!done) return;
  // The certificate stays on screen: there is nothing left to load.
  page.isErased = true;
  try {
    const { certificate } = await api.post("/v1/erase", { ids: [trace.id], sources: withSources?.checked ?? false });
    fill(root, certified(certificate));
    root.querySelector("h1")?.focus();
  } catch (error) {
    page.isErased = false;
    if (error.status !== 401) root.firstChild?.after(failure(error));
  }
}

/** What was erased, and what remains elsewhere. */
function certified(certificate) {
  const left = [
    ...[...certificate.remains, ...certificate.near].map((each) => [`${each.where}: ${each.what}`, each.fix]),
    ...(certificate.pending ? [[`Not finished yet: ${certificate.pending}`, "It finishes by itself later"]] : []),
  ];
  return [
    head("Erased", `${counted(certificate.erased.length, "record")} permanently removed.`),
    certificate.clean
      ? notice("good", "Nothing is left", h("p", {}, "Every row and the bytes of the files were checked."))
      : notice("warn", "Copies remain elsewhere", h("ul", {}, left.map(([what, how]) => h("li", {}, what, ". ", h("span", { class: "quiet" }, how))))),
    certificate.sources_left.length > 0 &&
      notice("warn", `${counted(certificate.sources_left.length, "turn")} it was extracted from still exist`, h("ul", {}, certificate.sources_left.map((id) => h("li", {}, traceLink(id))))),
    panel("Certificate", null, facts([
      ["Time", when(certificate.at, "moment")],
      ["Ledger position", String(certificate.position)],
      ["Extracted memories erased", String(certificate.derived.length)],
      ["Texts checked", String(certificate.texts - certificate.too_short)],
      ["Ledger", certificate.chain ? "verified" : "not verified: run cortex admin verify"],
    ])),
  ];
}

const restore = (page) => act(page, () => page.context.api.post(`${page.path}/restore`), "Restored");

async function act(page, call, message) {
  try {
    await call();
    toast(message);
    await page.reload();
  } catch (error) {
    if (error.status !== 401) page.context.root.firstChild?.after(failure(error));
  }
}

// --- editing ---------------------------------------------------------------------------------------------------------

function edit(page, trace, tag, place) {
  page.isEditing = true;
  const problem = h("div", { class: "stack" });
  const values = valuesOf(trace);
  const text = h("textarea", { class: "area", rows: 4, required: true }, values.text);
  const kind = select(KINDS.map((each) => [each, each]), values.kind);
  const scope = h("input", { class: "input", value: values.scope, autocomplete: "off", spellcheck: "false", required: true });
  const output = h("output", {}, values.importance.toFixed(2));
  const importance = h("input", { type: "range", min: 0, max: 1, step: 0.01, value: values.importance, on: { input: () => (output.textContent = Number(importance.value).toFixed(2)) } });
  const tags = h("input", { class: "input", value: values.tags.join(", "), placeholder: "none", autocomplete: "off" });
  const kept = RETENTIONS.some(([each]) => each === values.retention) ? RETENTIONS : [[values.retention, "for a set time"], ...RETENTIONS];
  const retention = select(kept, values.retention);
  const graded = field("Importance", importance);
  const slider = h("div", { class: "slider" });
  importance.replaceWith(slider);
  slider.append(importance, output);

  const changes = () => {
    const now = {
      text: text.value, kind: kind.value, scope: scope.value.trim(), importance: Number(importance.value),
      tags: tags.value.split(",").map((each) => each.trim()).filter(Boolean), retention: retention.value,
    };
    return Object.fromEntries(Object.entries(now).filter(([name, value]) => String(value) !== String(values[name])));
  };
  const save = async (event, match = tag) => {
    event?.preventDefault();
    const changed = changes();
    if (!Object.keys(changed).length) return page.reload();
    try {
      await page.context.api.patch(page.path, changed, { headers: match ? { "If-Match": match } : {} });
      toast("Saved");
      return await page.reload();
    } catch (error) {
      if (error.status === 401) return undefined;
      return fill(problem, error instanceof Problem && error.status === 409 ? conflict(page, values, save) : failure(error));
    }
  };
  const form = h(
    "form",
    { class: "panel editing", "aria-label": "Edit", on: { submit: save } },
    problem,
    field("Text", text),
    h("div", { class: "grid" }, field("Kind", kind), field("Scope", scope), field("Retention", retention), field("Tags", tags, "separated by commas"), graded),
    h("div", { class: "row" }, button("Save", null, { kind: "main-action", type: "submit" }), button("Cancel", () => page.reload()), h("span", { class: "small quiet" }, "The previous version stays in the history.")),
  );
  fill(place, form);
  page.context.root.querySelector(".tools").hidden = true;
  text.focus();
}

function valuesOf(trace) {
  return {
    text: trace.text, kind: trace.kind, scope: trace.scope, importance: trace.importance ?? DEFAULTS.importance,
    tags: trace.tags ?? [], retention: trace.retention ?? DEFAULTS.retention,
  };
}

/** After a conflict: the current text, and both ways to go on. */
async function showConflict(page, place, save) {
  try {
    const [now, tag] = await page.context.api.get(page.path, {}, { signal: page.context.signal, withTag: true });
    fill(place, h("p", { class: "quote" }, now.text),
      h("div", { class: "row" },
        button("Discard my changes", () => page.reload(), { kind: "small" }),
        now.state === "active" && button("Overwrite", () => save(null, tag), { kind: "small" })));
  } catch (error) {
    if (error.status !== 401) fill(place, failure(error));
  }
}

function conflict(page, values, save) {
  const place = h("div", { class: "stack tight" });
  showConflict(page, place, save);
  return notice("warn", "Changed in the meantime", h("p", {}, "Your changes are still in the form. The memory now says:"), place);
}

// --- sources ---------------------------------------------------------------------------------------------------------

function succession(page, trace) {
  const ways = [["Replaced by", trace.superseded_by], ["Replaces", trace.supersedes], ...(trace.contradicts ?? []).map((id) => ["Contradicts", id])].filter(([, id]) => id);
  if (!ways.length) return null;
  return h("nav", { class: "succession", "aria-label": "Related memories" }, ways.map(([name, id]) => {
    const text = h("span", {}, h("span", { class: "id" }, id));
    page.find(id).then((found) => fill(text, found ? found.text : "no longer available"), () => {});
    return h("a", { href: memoryPath(id) }, h("span", { class: "way-of" }, name), text);
  }));
}

function sources(page, trace) {
  if (!trace.sources?.length) return null;
  return panel("Source turns", `${counted(trace.sources.length, "turn")}, verbatim, and what was said around`, citedTurns(trace.sources, page.context));
}

/** A turn between its neighbors. */
function around(page, trace) {
  if (trace.type !== "turn") return null;
  return panel("In its conversation", null, citedTurns([trace], page.context));
}

function derived(trace) {
  if (!trace.derived?.length) return null;
  return panel("Extracted memories", counted(trace.derived.length, "memory", "memories"), h("ul", { class: "returned" }, trace.derived.map((memory) =>
    h("li", {}, h("span", {}), traceLink(memory.id, memory), chips(memory, { dated: false })))));
}

function known(trace) {
  const importance = trace.importance ?? DEFAULTS.importance;
  const isMemory = trace.type === "memory";
  const used = trace.access_count ? [`${counted(trace.access_count, "time")}, last `, when(trace.last_accessed_at)] : "never";
  return facts([
    ["ID", h("span", { class: "row" }, h("span", { class: "mono" }, trace.id), copyButton(trace.id, "Copy the ID"))],
    ["Created", when(trace.created_at, "moment")],
    ["Session", trace.session && h("a", { href: conversationPath(trace.session, trace.seq), dir: "auto" }, `${trace.session}, turn ${(trace.seq ?? 0) + 1}`)],
    ["Said by", trace.type === "turn" && (trace.speaker ? `${trace.speaker} (${trace.role ?? "user"})` : trace.role ?? "user")],
    ["File", trace.path && h("a", { href: `#/files/${encodeURIComponent(trace.path)}`, dir: "auto" }, `${trace.path}, lines ${trace.start_line} to ${trace.end_line}`)],
    ["Section", trace.section?.join(" › ")],
    ["Importance", isMemory && `${importance.toFixed(2)}, ${words(trace.label ?? "unknown")}`],
    ["Confidence", isMemory && (trace.confidence ?? 1).toFixed(2)],
    ["Retention", isMemory && words(trace.retention ?? "permanent")],
    ["Subject", trace.subject && [trace.subject, trace.attribute && ` · ${trace.attribute}`, trace.value && ` · ${trace.value}`]],
    ["Topic", trace.topic],
    ["Tags", trace.tags?.length ? h("span", { class: "chips" }, trace.tags.map((tag) => h("span", { class: "chip" }, tag))) : null],
    ["Source kind", isMemory && words(trace.source_kind ?? "operator")],
    ["Source", [trace.source_ref, ...(trace.other_source_refs ?? [])].filter(Boolean).join(", ")],
    ["Valid from", trace.valid_from && when(trace.valid_from, "moment")],
    ["Valid until", trace.valid_to && when(trace.valid_to, "moment")],
    ["Repeated", trace.reinforced && counted(trace.reinforced, "time")],
    ["Language", trace.lang],
    ["Recalled", isMemory && used],
  ].filter(([, value]) => value));
}

// --- history ---------------------------------------------------------------------------------------------------------

function history(trace, events) {
  const versions = [...(trace.versions ?? [])].sort((one, other) => other.since - one.since);
  if (versions.length < 2) return null;
  const at = new Map(events.map((event) => [event.position, event]));
  return panel("History", counted(versions.length, "version"), h("ol", { class: "history" }, versions.map((version, index) => {
    const before = versions[index + 1];
    const event = at.get(version.since);
    return h("li", { class: ["version", index ? "" : "now"] },
      h("p", { class: "when" }, h("b", {}, event ? EVENTS[event.event]?.[0] ?? event.event : before ? "Changed" : "Created"), " ", event ? when(event.at, "moment") : `at position ${version.since}`, !index && " · current version"),
      changedText(before, version),
      changedFields(before, version));
  })));
}

function changedText(before, version) {
  if (!before) return h("p", {}, version.text);
  if (before.text === version.text) return null;
  return h("p", {}, difference(before.text, version.text).flatMap(([kind, text]) => (kind === "same" ? text : [h(kind === "gone" ? "del" : "ins", {}, text), kind === "gone" && text === before.text && " "])));
}

function changedFields(before, version) {
  if (!before) return null;
  const value = (of, name) => of[name] ?? DEFAULTS[name] ?? "";
  const plain = (given) => {
    const text = [given].flat().join(", ") || "none";
    if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text)) return shortId(text);
    return /^\d{4}-\d\d-\d\dT/.test(text) ? date(text) : text;
  };
  const changed = COMPARED.filter((name) => String(value(before, name)) !== String(value(version, name)));
  if (!changed.length) return null;
  return h("div", { class: "chips" }, changed.map((name) => h("span", { class: "chip" }, `${words(name)}: ${words(plain(value(before, name)))} → ${words(plain(value(version, name)))}`)));
}

/** Events without a new version, such as a repetition. */
function happened(trace, events) {
  const versions = new Set((trace.versions ?? []).map((version) => version.since));
  const others = events.filter((event) => !versions.has(event.position));
  if (!others.length) return null;
  return panel("Other events", counted(others.length, "event"), facts(others.map((event) => [EVENTS[event.event]?.[0] ?? event.event, when(event.at, "moment")])));
}
