/** Search and recall, with an explanation of every hit. */

import { fill, h, memoryPath, receiptPath } from "../dom.js";
import { counted, milliseconds, whole, words } from "../format.js";
import { icon } from "../icons.js";
import { KINDS, LANES, dropName, laneName } from "../palette.js";
import { button, chips, copyButton, empty, field, fold, loaded, notice, segments, select, traceLink, waiting } from "../parts.js";
import { addends, bar, legend, longest } from "../score.js";
import { lookup } from "./events.js";
import { citedTurns } from "./turns.js";

const MOST_CONSIDERED = 20;
const SKIPPED = {
  trivial: "This is a greeting or a word of thanks, so nothing was searched.",
};
const LEGS = {
  vector: "matched by meaning",
  keyword: "matched by keywords",
  standing: "standing rule that applies here",
};

const TIERS = {
  "must+nice": "must remember or nice to have",
  "must+nice+unknown": "any importance but ignore",
  "must+nice+unknown+ignore": "any importance",
};
const REASONS = { supersedes: "replaces" };

export async function showSearch(context) {
  const { root, query, title } = context;
  const params = read(query);
  const results = h("div", { class: "stack" });
  root.classList.add("wide");
  const form = searchForm(context, params);
  fill(root, h("h1", { class: "hidden", tabindex: "-1" }, "Search"), form.element, results);
  if (params.q) {
    title(params.q);
    await answer(context, params, results);
  } else {
    fill(results, hints());
    form.box.focus();
  }
}

/** The parameters in the address. */
function read(query) {
  return {
    q: query.get("q") ?? "",
    mode: query.get("mode") === "recall" ? "recall" : "search",
    scope: query.get("scope") ?? "",
    lanes: query.getAll("lane").filter((lane) => LANES.includes(lane)),
    kinds: query.getAll("kind").filter((kind) => KINDS.includes(kind)),
    recipe: query.get("recipe") ?? "",
    asOf: query.get("as_of") ?? "",
    limit: query.get("limit") ?? "",
    quarantined: query.get("quarantined") === "yes",
  };
}

/** The address of a search. */
function address(params) {
  const fields = new URLSearchParams({ q: params.q });
  if (params.mode === "recall") fields.set("mode", "recall");
  for (const name of ["scope", "recipe", "limit"]) if (params[name]) fields.set(name, params[name]);
  if (params.asOf) fields.set("as_of", params.asOf);
  for (const lane of params.lanes) fields.append("lane", lane);
  for (const kind of params.kinds) fields.append("kind", kind);
  if (params.quarantined) fields.set("quarantined", "yes");
  return `#/search?${fields}`;
}

/** The body of the request. */
function bodyOf(params) {
  const at = params.asOf && new Date(params.asOf);
  return {
    query: params.q,
    explain: true,
    ...(params.scope && { scope: params.scope }),
    ...(params.lanes.length && { lanes: params.lanes }),
    ...(params.kinds.length && { kinds: params.kinds }),
    ...(params.recipe && { recipe: params.recipe }),
    ...(Number(params.limit) > 0 && { limit: Number(params.limit) }),
    ...(at && !Number.isNaN(at.getTime()) && { as_of: at.toISOString() }),
    ...(params.quarantined && { quarantined: true }),
  };
}

// --- the question ----------------------------------------------------------------------------------------------------

function searchForm(context, params) {
  const draft = { ...params };
  const box = h("input", {
    class: "input", type: "search", role: "searchbox", "aria-label": "Search memories", name: "q", value: params.q, placeholder: "Search or ask a question…",
    autocomplete: "off", spellcheck: "false", maxlength: 4000, enterkeyhint: "search",
  });
  const submit = (event) => {
    event?.preventDefault();
    draft.q = box.value.trim();
    const next = address(draft);
    if (!draft.q) box.focus();
    else if (next === location.hash) dispatchEvent(new HashChangeEvent("hashchange"));
    else location.hash = next;
  };
  const again = () => draft.q && submit();
  const mode = segments("mode", "Mode", [["search", "Search"], ["recall", "Recall"]], params.mode, (value) => {
    draft.mode = value;
    again();
  });
  const chosen = ["scope", "recipe", "asOf", "limit"].filter((name) => params[name]).length + (params.lanes.length > 0) + (params.kinds.length > 0) + params.quarantined;
  const panel = h("div", { class: "panel filters", hidden: chosen === 0 });
  const toggle = button(chosen ? `Filters (${chosen})` : "Filters", () => {
    panel.hidden = !panel.hidden;
    toggle.setAttribute("aria-expanded", String(!panel.hidden));
  }, { kind: "plain", symbol: "chevron", "aria-expanded": String(chosen > 0) });
  toggle.querySelector("svg").classList.add("turn");
  filters(context, draft, panel);
  const about = params.mode === "recall" ? "What an agent gets before its turn." : "Everything on the topic, including superseded and untrusted memories.";
  const element = h(
    "form",
    { class: "asking", role: "search", on: { submit } },
    h("div", { class: "box" }, h("div", { class: "field" }, box, icon("search"), h("kbd", { "aria-hidden": "true" }, "/")), button("Search", null, { kind: "main-action", symbol: "search", type: "submit" })),
    h("div", { class: "row between" }, h("div", { class: "row" }, mode, h("span", { class: "small quiet wide-only" }, about)), toggle),
    panel,
  );
  element.querySelector(".field > svg").classList.add("glass");
  return { element, box };
}

function filters({ api, signal }, draft, panel) {
  const set = (name) => (value) => (draft[name] = value);
  const scopes = h("datalist", { id: "scopes" });
  const scope = h("input", { class: "input", value: draft.scope, placeholder: "any", list: "scopes", autocomplete: "off", on: { input: (event) => set("scope")(event.target.value.trim()) } });
  const recipe = select([["", "default"], ...(draft.recipe ? [[draft.recipe, draft.recipe]] : [])], draft.recipe, { changed: set("recipe") });
  const asOf = h("input", { class: "input", type: "datetime-local", value: draft.asOf, on: { input: (event) => set("asOf")(event.target.value) } });
  const limit = h("input", { class: "input", type: "number", min: 1, max: 100, value: draft.limit, placeholder: "recipe default", on: { input: (event) => set("limit")(event.target.value) } });
  const quarantined = h("input", { type: "checkbox", checked: draft.quarantined, on: { change: (event) => set("quarantined")(event.target.checked) } });
  fill(
    panel,
    field("Scope", scope), scopes, field("Recipe", recipe), field("As of", asOf), field("Limit", limit),
    picks("Lanes", LANES, draft.lanes, set("lanes"), laneName),
    picks("Kinds", KINDS, draft.kinds, set("kinds")),
    h("div", { class: "picks wide" }, h("label", {}, quarantined, h("span", {}, "include quarantined"))),
  );
  api.get("/v1/stats", {}, { signal }).then((found) => fill(scopes, Object.keys(found.by_scope).sort().map((name) => h("option", { value: name }))), () => {});
  api.get("/v1/recipes", {}, { signal }).then((found) => fill(recipe,
    h("option", { value: "" }, `default (${found.default})`),
    found.recipes.map(({ name }) => h("option", { value: name, selected: name === draft.recipe }, name))), () => {});
}

function picks(label, names, chosen, changed, named = words) {
  const boxes = names.map((name) => h("input", { type: "checkbox", value: name, checked: chosen.includes(name), on: { change: () => changed(boxes.filter((box) => box.checked).map((box) => box.value)) } }));
  return h("fieldset", { class: "wide" }, h("legend", {}, label), h("div", { class: "picks" }, boxes.map((box) => h("label", {}, box, h("span", {}, named(box.value))))));
}

function hints() {
  return empty("search", "Search the memory", "Every hit shows how its score was computed. Rejected candidates are listed too.",
    h("p", { class: "small quiet" }, h("kbd", {}, "/"), " search, ", h("kbd", {}, "j"), " ", h("kbd", {}, "k"), " move between hits, ", h("kbd", {}, "w"), " explain, ", h("kbd", {}, "?"), " all shortcuts"));
}

// --- the answer ------------------------------------------------------------------------------------------------------

function answer(context, params, results) {
  const { api, signal } = context;
  fill(results, waiting("short", "tall", "tall"));
  return loaded(results, signal, () => api.post(params.mode === "recall" ? "/v1/recall" : "/v1/search", bodyOf(params), { signal }), (found) => [
    summary(found),
    params.asOf && notice("", `As of ${params.asOf.replace("T", " ")}`),
    found.degraded.map((each) => notice("warn", "Degraded answer", h("p", {}, words(each)), h("p", {}, "See ", h("a", { href: "#/health" }, "Health"), " for how to fix it."))),
    found.hits.length ? list(context, found, params) : nothing(found, params),
    considered(context, found),
    block(found),
  ]);
}

function summary(found) {
  const receipt = found.receipt;
  return h(
    "div",
    { class: "row between" },
    h("p", { class: "small quiet", role: "status" },
      h("b", {}, counted(found.hits.length, "hit")), ` of ${counted(receipt.counts?.candidates ?? 0, "candidate")} in ${milliseconds(receipt.latency_ms)}, recipe ${receipt.recipe ?? "none"}`,
      receipt.scope_inferred && `, scope ${receipt.scope}`),
    h("a", { class: "small", href: receiptPath(receipt.id) }, "Receipt"),
  );
}

function list(context, found, params) {
  const most = longest(found.hits);
  const terms = termsOf(params.q);
  return [h("h2", { class: "hidden" }, "Hits"), h("div", { class: "results lines" }, found.hits.map((hit) => article(context, hit, most, terms))), legend(found.hits)];
}

/** One line a hit: a small mark for the score, the text, what sort it is; the reasons on demand. */
function article(context, hit, most, terms) {
  const { trace } = hit;
  const why = h("div", { class: "why", id: `why-${hit.id}`, hidden: true });
  const toggle = h("button", { class: "link-button small", type: "button", "aria-expanded": "false", "aria-controls": `why-${hit.id}`, data: { why: "" }, on: { click: () => {
    if (!why.hasChildNodes()) fill(why, reasons(hit), hit.trace.type === "turn" && h("section", {}, h("h3", {}, "What was said around it"), citedTurns([hit.trace], context)));
    why.hidden = !why.hidden;
    toggle.setAttribute("aria-expanded", String(!why.hidden));
    one.classList.toggle("opened", !why.hidden);
  } } }, "Why this?");
  const one = h(
    "article",
    { class: "hit", tabindex: "-1", "aria-label": `Score ${hit.score.toFixed(2)}`, data: { hit: "", item: "", id: hit.id, state: trace.state } },
    h("div", { class: "scored" }, bar(hit, most), h("b", {}, hit.score.toFixed(2))),
    h("a", { class: "hit-text", href: memoryPath(hit.id) }, marked(hit.excerpt || trace.text, terms)),
    chips(trace),
    toggle,
    why,
  );
  return one;
}

function reasons(hit) {
  const { trace } = hit;
  return [
    h("section", {}, h("h3", {}, "Why it was returned"), h("ul", { class: "reasons" },
      hit.legs.map((leg) => h("li", {}, LEGS[leg] ?? `matched by ${words(leg)}`)),
      hit.reasons.map((reason) => h("li", {}, reasonOf(reason))),
      trace.source_kind && h("li", {}, `source: ${words(trace.source_kind)}`),
      trace.access_count > 0 && h("li", {}, `recalled ${counted(trace.access_count, "time")} so far`))),
    h("section", {}, h("h3", {}, "Score parts"), addends(hit)),
  ];
}

/** A reason as the API gives it, in words. */
function reasonOf(reason) {
  const [, verb, id] = reason.match(/^(supersedes|newer than|contradicts) (\S+)$/) ?? [];
  if (id) return [`${REASONS[verb] ?? verb} `, h("a", { href: memoryPath(id) }, "an older memory")];
  const [, name, value] = reason.match(/^(tier|trust|scope|state) (.+)$/) ?? [];
  if (name === "tier") return TIERS[value] ?? value;
  return name ? `${name}: ${words(value)}` : REASONS[reason] ?? words(reason);
}

function nothing(found, params) {
  if (found.skipped) return empty("search", "Search skipped", SKIPPED[found.skipped] ?? `Skipped: ${words(found.skipped)}.`);
  const other = { ...params, mode: "search", scope: "", lanes: [], kinds: [], asOf: "" };
  const isNarrow = address(other) !== address(params);
  return empty("search", "No memory matches this question.", "",
    isNarrow && h("p", {}, h("a", { href: address(other) }, "Search everything instead")));
}

// --- rejected candidates ---------------------------------------------------------------------------------------------

function considered(context, found) {
  const shown = new Set(found.hits.map((hit) => hit.id));
  const why = new Map((found.dropped ?? []).map((each) => [each.id, each]));
  const others = [...(found.candidates ?? []), ...(found.dropped ?? []).filter((each) => !found.candidates?.some(({ id }) => id === each.id))]
    .filter((each) => !shown.has(each.id))
    .sort((one, other) => other.score - one.score);
  if (!others.length) return null;
  const find = lookup(context.api, context.signal);
  const items = others.slice(0, MOST_CONSIDERED).map((each) => {
    const link = traceLink(each.id, undefined);
    return { each, link, row: h("li", {}, h("span", { class: "num quiet" }, each.score.toFixed(3)), link, h("span", { class: "chip" }, dropName(why.get(each.id)?.reason ?? each.reason))) };
  });
  const opened = async () => {
    for (const { each, link } of items) {
      if (context.signal.aborted) return;
      try {
        link.textContent = (await find(each.id))?.text ?? "no longer available";
      } catch {
        return; // the ids stay
      }
    }
  };
  const rest = others.length - items.length;
  return h("section", { class: "panel" }, fold("Also considered", counted(others.length, "candidate"),
    [h("ol", { class: "considered" }, items.map(({ row }) => row)), rest > 0 && h("p", { class: "small quiet" }, `and ${whole(rest)} more with lower scores`)], { opened }));
}

function block(found) {
  if (!found.block) return null;
  return h("section", { class: "panel" }, fold("Context for the agent", counted(found.tokens, "token"),
    h("div", { class: "stack tight" }, h("pre", { class: "code", tabindex: "0" }, found.block), h("div", { class: "row" }, copyButton(found.block, "Copy context"), h("span", { class: "small quiet" }, "The frame marks memories as information, not instructions.")))));
}

// --- highlighting ----------------------------------------------------------------------------------------------------

const LITTLE = new Set("a an and are as at be been by can did do does for from had has have how i in is it its me my of on or our she so that the their them they this to us was we were what when where which who whom why will with you your".split(" "));

function termsOf(query) {
  const found = query.toLowerCase().match(/[\p{L}\p{N}_-]+/gu) ?? [];
  return new Set(found.filter((word) => word.length > 1 && !LITTLE.has(word)).map(stem));
}

const stem = (word) => (word.length > 4 ? word.replace(/(ing|ies|es|ed|s)$/u, "") : word);

/** The text with the words of the query highlighted, as text nodes only. */
function marked(text, terms) {
  return text.split(/([\p{L}\p{N}_-]+)/u).map((piece, at) => (at % 2 && terms.has(stem(piece.toLowerCase())) ? h("mark", {}, piece) : piece));
}

