/** The table of memories: filters, order, columns, saved views, and changes of many at once. */

import { isAbort } from "../api.js";
import { fill, h, memoryPath } from "../dom.js";
import { counted, percent, whole, words } from "../format.js";
import { KINDS, LABELS, kindColor, labelColor } from "../palette.js";
import { button, dialog, empty, failure, field, head, select, toast, when } from "../parts.js";
import { LongTable, filterBox, paged } from "../table.js";
import { MOST, asked, changed, confirmed } from "./bulk.js";

const SHOWN_CHARS = 400;
const FIRST = "-stored";
const COLUMNS_KEY = "cortex.columns";
const ALL_STATES = ["active", "superseded", "forgotten", "expired"];
/** What the address may say. */
const FILTERS = ["contains", "scope", "kind", "label", "trust", "state", "topic", "tag", "session", "since", "until"];

const chip = (name, tone = "") => h("span", { class: ["chip", tone] }, words(name));
const line = (text) => h("span", { dir: "auto" }, text);
const TONES = { untrusted: "warn", quarantined: "bad", superseded: "warn", forgotten: "bad", expired: "warn" };

const COLUMNS = [
  { key: "text", name: "Memory", class: "text", cell: (row) => statement(row) },
  { key: "kind", name: "Kind", sort: "kind", cell: (row) => h("span", { class: ["kind dot", kindColor(row.kind)] }, row.kind) },
  { key: "scope", name: "Scope", sort: "scope", cell: (row) => line(row.scope) },
  { key: "label", name: "Label", sort: "label", cell: (row) => (row.label && row.label !== "unknown" ? h("span", { class: ["kind dot", labelColor(row.label)] }, words(row.label)) : quiet()) },
  { key: "importance", name: "Importance", sort: "importance", falls: true, class: "num", cell: (row) => share(row.importance ?? 0.5) },
  { key: "confidence", name: "Confidence", sort: "confidence", falls: true, class: "num", cell: (row) => percent(row.confidence ?? 1) },
  { key: "trust", name: "Trust", sort: "trust", cell: (row) => (row.trust === "trusted" ? h("span", { class: "quiet" }, "trusted") : chip(row.trust, TONES[row.trust])) },
  { key: "state", name: "State", sort: "state", cell: (row) => (row.state === "active" ? h("span", { class: "quiet" }, "active") : chip(row.state, TONES[row.state])) },
  { key: "topic", name: "Topic", cell: (row) => (row.topic ? line(row.topic) : quiet()) },
  { key: "tags", name: "Tags", cell: (row) => (row.tags?.length ? line(row.tags.join(", ")) : quiet()) },
  { key: "uses", name: "Uses", sort: "uses", falls: true, class: "num", cell: (row) => (row.access_count ? whole(row.access_count) : quiet()) },
  { key: "used", name: "Last used", sort: "used", falls: true, class: "time", cell: (row) => when(row.last_accessed_at) },
  { key: "stored", name: "Stored", sort: "stored", falls: true, class: "time", cell: (row) => when(storedAt(row.id)) },
  { key: "created", name: "Created", sort: "created", falls: true, class: "time", cell: (row) => when(row.created_at, "date") },
];
const USUAL = ["text", "kind", "scope", "importance", "uses", "stored"];

/** Views that are always there. */
const BUILT_IN = [
  ["All", ""],
  ["Must remember", "label=must_remember"],
  ["Most used", "sort=-uses"],
  ["Recently changed", "sort=-changed"],
  ["Not trusted", "trust=untrusted&trust=quarantined"],
  ["Forgotten", "state=forgotten&sort=-changed"],
];

/** When a memory was stored: an id of version 7 begins with its time; others, such as of imported ones, do not tell. */
function storedAt(id) {
  if (id.charAt(14) !== "7") return null;
  const at = new Date(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16));
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

const quiet = () => h("span", { class: "quiet" }, "–");
const share = (value) => h("span", { class: "share" }, h("i", { "aria-hidden": "true" }, h("b", { style: { "inline-size": `${100 * value}%` } })), value.toFixed(2));

function statement(row) {
  return [
    h("div", { class: "statement" },
      h("a", { href: memoryPath(row.id), tabindex: "-1", dir: "auto", title: row.text.slice(0, SHOWN_CHARS) }, row.text.slice(0, SHOWN_CHARS)),
      row.trust !== "trusted" && chip(row.trust, TONES[row.trust]),
      row.state !== "active" && chip(row.state, TONES[row.state])),
    h("span", { class: "under", "aria-hidden": "true" }, row.kind, " · ", row.scope, " · ", (row.created_at ?? "").slice(0, 10)),
  ];
}

export async function showMemories(context) {
  const { api, live, root, signal, query, canWrite } = context;
  root.classList.add("wide", "filled");
  const chosen = fromQuery(query);
  const page = { position: undefined, total: null, columns: columnsOf(query) };
  const count = h("p", { role: "status", "aria-live": "polite" });
  const done = h("div", { class: "stack" });
  const bulk = h("div", { class: "bulk", role: "toolbar", "aria-label": "Selected memories", hidden: true });
  const nothing = h("div", { class: "stack" });
  const stale = h("div", { class: "row" });
  const tabs = h("nav", { class: "tabs", "aria-label": "Views" });
  const filters = h("form", { class: "filter-bar", role: "search", "aria-label": "Filter memories", on: { submit: (event) => event.preventDefault() } });
  const table = new LongTable({ label: "Memories", canSelect: canWrite, open: (row) => (location.hash = memoryPath(row.id)) });
  const shown = { api, place: done, reload: () => again({ keep: true }) };

  fill(
    root,
    h("div", { class: "head" }, h("div", {}, h("h1", { tabindex: "-1" }, "Memories"), count), h("div", { class: "tools" }, stale, columnChoice())),
    tabs,
    filters,
    done,
    nothing,
    table.element,
    bulk,
  );
  arrange();
  showFilters([]);
  showTabs([]);

  // --- rows ----------------------------------------------------------------------------------------------------------

  function asQuery() {
    const state = chosen.state === "any" ? ALL_STATES : chosen.state;
    return { ...chosen, state, sort: undefined, columns: undefined, since: day(chosen.since), until: day(chosen.until) };
  }

  const list = (after, limit) => api.get("/v1/memories", { ...asQuery(), sort: chosen.sort, limit, after }, { signal });
  const isFiltered = () => FILTERS.some((name) => [chosen[name]].flat().some(Boolean));
  /** Each row with the position at which it was seen, so that a change can say what it was decided on. */
  const seen = (found) => found.memories.map((row) => ({ ...row, seenAt: found.position, isOver: row.state !== "active" }));

  const again = paged(table, {
    signal,
    place: nothing,
    load: async (after, limit) => {
      const found = await list(after, limit);
      return { rows: seen(found), next: found.next, position: found.position };
    },
    shown: ({ rows, next, position }, isCurrent) => {
      Object.assign(page, { position, total: next === null ? rows.length : null });
      fill(stale);
      counts(isCurrent);
      return !rows.length && emptiness();
    },
  });

  /** How many there are; the rows do not wait for it. */
  async function counts(isCurrent) {
    const known = table.rows.length;
    if (page.total !== null) count.textContent = counted(known, "memory", "memories");
    try {
      const found = await api.get("/v1/stats", { lane: "memories", ...asQuery(), state: asQuery().state || ["active", "superseded"] }, { signal });
      if (!isCurrent()) return;
      page.total = found.total;
      count.textContent = counted(found.total, "memory", "memories");
      if (!isFiltered()) knowScopes(found);
      if (!bulk.contains(document.activeElement)) showBulk();
    } catch {
      if (isCurrent() && page.total === null) count.textContent = `More than ${counted(known, "memory", "memories")}`;
    }
  }

  function emptiness() {
    return isFiltered()
      ? empty("search", "No memories match", "Change the filters, or clear them.", button("Clear filters", () => to("")))
      : empty("memories", "No memories yet", "What agents and people remember appears here.");
  }

  table.addEventListener("sort", ({ detail }) => set({ sort: detail }));
  table.addEventListener("select", showBulk);

  // --- the address ---------------------------------------------------------------------------------------------------

  function set(changes) {
    Object.assign(chosen, changes);
    remember();
    arrange();
    showTabs();
    again();
  }

  function remember() {
    const text = queryOf(chosen, page.columns);
    history.replaceState(null, "", text ? `#/memories?${text}` : "#/memories");
  }

  function to(text) {
    const other = fromQuery(new URLSearchParams(text));
    for (const name of [...FILTERS, "sort"]) chosen[name] = other[name];
    if (new URLSearchParams(text).get("columns")) page.columns = columnsOf(new URLSearchParams(text));
    table.clear();
    remember();
    arrange();
    showFilters();
    showTabs();
    again();
  }

  // --- columns -------------------------------------------------------------------------------------------------------

  function arrange() {
    table.arrange(COLUMNS.filter((column) => page.columns.includes(column.key)), chosen.sort);
  }

  function columnChoice() {
    const boxes = COLUMNS.filter((column) => column.key !== "text").map((column) =>
      h("label", { class: "tick" }, h("input", { type: "checkbox", checked: page.columns.includes(column.key), value: column.key, on: { change: (event) => choose(column.key, event.target.checked) } }), h("span", {}, column.name)));
    const list = h("details", { class: "menu" }, h("summary", { class: "button" }, "Columns"), h("div", { class: "menu-body", role: "group", "aria-label": "Columns" }, boxes));
    list.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !list.open) return;
      list.open = false;
      list.querySelector("summary").focus();
      event.stopPropagation();
    });
    document.addEventListener("click", (event) => !list.contains(event.target) && (list.open = false), { signal });
    return list;
  }

  function choose(key, isOn) {
    page.columns = COLUMNS.map((column) => column.key).filter((each) => (each === key ? isOn : page.columns.includes(each)));
    try {
      localStorage.setItem(COLUMNS_KEY, page.columns.join(","));
    } catch {
      // Kept in the address only.
    }
    remember();
    arrange();
  }

  // --- filters -------------------------------------------------------------------------------------------------------

  function showFilters(scopes = page.scopes ?? []) {
    page.scopes = scopes;
    const any = (name, values, label) => select([["", label], ...values.map((each) => (Array.isArray(each) ? each : [each, words(each)]))], [chosen[name]].flat()[0] ?? "", { class: ["select auto", [chosen[name]].flat()[0] ? "on" : ""], "aria-label": words(name).replace(/^./, (first) => first.toUpperCase()), changed: (value) => (set({ [name]: value }), showFilters()) });
    const known = chosen.scope && !scopes.includes(chosen.scope) ? [chosen.scope, ...scopes] : scopes;
    const typed = (name, label, about) => field(label, h("input", { class: "input", value: [chosen[name]].flat()[0] ?? "", autocomplete: "off", spellcheck: "false", placeholder: about, on: { change: (event) => set({ [name]: event.target.value.trim() }) } }));
    const dated = (name, label) => field(label, h("input", { class: "input", type: "date", value: (chosen[name] ?? "").slice(0, 10), on: { change: (event) => set({ [name]: event.target.value }) } }));
    const isMore = ["topic", "tag", "session", "since", "until"].some((name) => chosen[name]);
    const box = filterBox(table, { label: "Filter by words", value: chosen.contains ?? "", most: 1000, signal, changed: (contains) => set({ contains }) });
    const rest = h("div", { class: "filter-more", hidden: !(isMore || page.isMore) },
      typed("topic", "Topic", "any"), typed("tag", "Tag", "any"), typed("session", "Extracted from session", "any"), dated("since", "Created from"), dated("until", "Created before"));
    const fold = h("button", { class: "button plain", type: "button", "aria-expanded": String(!rest.hidden), "aria-label": "More filters", on: { click: () => {
      page.isMore = rest.hidden;
      rest.hidden = !page.isMore;
      filters.classList.toggle("open", page.isMore);
      fold.setAttribute("aria-expanded", String(page.isMore));
    } } }, h("span", {}, "More"));
    filters.classList.toggle("open", !rest.hidden);
    fill(
      filters,
      box,
      any("scope", known, "Any scope"),
      any("kind", KINDS, "Any kind"),
      any("label", LABELS, "Any label"),
      any("trust", ["trusted", "untrusted", "quarantined"], "Any trust"),
      any("state", [["active", "active"], ["superseded", "superseded"], ["forgotten", "forgotten"], ["expired", "expired"], ["any", "every state"]], "Current states"),
      fold,
      rest,
    );
  }

  /** The scopes to choose from. The form is built anew only while nobody is in it. */
  function knowScopes(found) {
    page.scopes = Object.keys(found.by_scope).sort();
    if (!filters.contains(document.activeElement)) showFilters();
  }

  async function loadScopes() {
    try {
      const found = await api.get("/v1/stats", { lane: "memories" }, { signal });
      if (!signal.aborted) knowScopes(found);
    } catch {
      // The scope can still be given in the address.
    }
  }

  // --- saved views ---------------------------------------------------------------------------------------------------

  function showTabs(saved = page.saved ?? []) {
    page.saved = saved;
    const now = queryOf(chosen, []);
    const isOpen = (text) => queryOf(fromQuery(new URLSearchParams(text)), []) === now;
    const tab = ([name, text], own) => h("a", { href: text ? `#/memories?${text}` : "#/memories", "aria-current": isOpen(text) ? "page" : null, dir: "auto", data: own ? { saved: name } : {}, on: { click: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      to(text);
    } } }, name);
    const own = saved.filter((view) => view.page === "memories").map((view) => [view.name, view.query]);
    const current = own.find(([, text]) => isOpen(text));
    const isKnown = [...BUILT_IN, ...own].some(([, text]) => isOpen(text));
    fill(
      tabs,
      h("ul", {}, BUILT_IN.map((each) => h("li", {}, tab(each, false))), own.map((each) => h("li", {}, tab(each, true)))),
      canWrite && !isKnown && button("Save view", save, { kind: "small", symbol: "plus" }),
      canWrite && current && button("Remove view", () => remove(current[0]), { kind: "small plain" }),
    );
  }

  async function save() {
    const name = h("input", { class: "input", autocomplete: "off", maxlength: 64 });
    const done = await dialog("Save this view", h("div", { class: "stack" }, field("Name", name), h("p", { class: "small quiet" }, "Filters, order and columns are kept. Everybody who sees this memory sees the view.")), (close) => [
      button("Cancel", () => close("")), button("Save", () => name.value.trim() && close("save"), { kind: "main-action" }),
    ]);
    if (done === "save") await kept(() => api.post("/v1/views", { name: name.value.trim(), query: queryOf(chosen, page.columns) }), "View saved");
  }

  const remove = (name) => kept(() => api.delete(`/v1/views/${encodeURIComponent(name)}`), "View removed");

  async function kept(call, message) {
    try {
      await call();
      toast(message);
    } catch (error) {
      if (error.status !== 401) fill(done, failure(error));
    }
    await loadViews();
  }

  async function loadViews() {
    try {
      showTabs((await api.get("/v1/views", {}, { signal })).views);
    } catch {
      // The views that are always there remain.
    }
  }

  // --- many at once --------------------------------------------------------------------------------------------------

  function showBulk() {
    const picked = [...table.selected.values()];
    bulk.hidden = !picked.length;
    table.covered = picked.length ? 72 : 0;
    if (!picked.length) return;
    const number = picked.length;
    const apply = (action, changes) => {
      table.clear();
      return changed(shown, action, picked, changes);
    };
    const change = (what) => async () => {
      const found = await asked(what, number);
      if (found) await apply("edit", found);
      else bulk.querySelector("button")?.focus();
    };
    const isForgotten = picked.every((row) => row.state === "forgotten");
    fill(
      bulk,
      h("b", {}, `${whole(number)} selected`),
      table.isPart && (page.total ?? Infinity) > number && button(page.total === null ? "Select all that match" : `Select all ${whole(page.total)} that match`, selectAll, { kind: "small plain" }),
      h("div", { class: "row" },
        number === 1 && button("Edit", () => (location.hash = memoryPath(picked[0].id)), { kind: "small", symbol: "pen" }),
        !isForgotten && button("Move", change("move"), { kind: "small" }),
        !isForgotten && button("Label", change("label"), { kind: "small" }),
        !isForgotten && button("Kind", change("kind"), { kind: "small" }),
        !isForgotten && button("Tag", change("tag"), { kind: "small" }),
        isForgotten
          ? button("Restore", () => apply("restore"), { kind: "small", symbol: "undo" })
          : button("Forget", async () => (await confirmed(number)) && apply("forget"), { kind: "small danger", symbol: "bin" }),
        button("Clear", () => (table.clear(), table.focus()), { kind: "small plain" })),
    );
  }

  /** Select what matches beyond the loaded rows: exactly what is listed now, page by page. */
  async function selectAll() {
    const stop = new AbortController();
    const said = h("b", { role: "status" }, "Selecting");
    const cancel = button("Cancel", () => stop.abort(), { kind: "small plain" });
    fill(bulk, said, h("div", { class: "row" }, cancel));
    cancel.focus();
    const rows = [];
    try {
      for (let after; after !== null && !stop.signal.aborted && !signal.aborted;) {
        const found = await list(after, MOST);
        rows.push(...seen(found).map(({ id, state, seenAt }) => ({ id, state, seenAt })));
        said.textContent = `Selecting: ${whole(rows.length)}`;
        after = found.next;
      }
      if (signal.aborted) return;
      if (!stop.signal.aborted) {
        page.total = rows.length;
        table.select(rows);
      } else showBulk();
      bulk.querySelector("button")?.focus();
    } catch (error) {
      if (isAbort(error) || error.status === 401) return;
      showBulk();
      fill(done, failure(error));
    }
  }

  // --- what happens meanwhile ----------------------------------------------------------------------------------------

  live.on("state", signal, (state) => {
    if (page.position === undefined || state.position <= page.position || stale.hasChildNodes()) return;
    fill(stale, button("Memory has changed: reload", () => again({ keep: true }), { kind: "small plain", symbol: "repeat" }));
  });
  root.addEventListener("keydown", (event) => {
    if (event.target.matches("input:not([type=checkbox]), select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const name = { "#": "Forget", Delete: "Forget", m: "Move", l: "Label", t: "Tag" }[event.key];
    if (!name || !table.selected.size) return;
    const found = [...bulk.querySelectorAll("button")].find((each) => each.textContent === name);
    if (!found) return;
    event.preventDefault();
    found.click();
  });

  await again();
  loadViews();
  if (isFiltered()) loadScopes();
}

// --- the address -------------------------------------------------------------------------------------------------------

const day = (given) => (given && given.length === 10 ? `${given}T00:00:00Z` : given);

function fromQuery(query) {
  const values = FILTERS.map((name) => [name, query.getAll(name).filter(Boolean)]);
  return { ...Object.fromEntries(values.map(([name, found]) => [name, found.length > 1 ? found : found[0] ?? ""])), sort: query.get("sort") || FIRST };
}

function queryOf(chosen, columns) {
  const fields = new URLSearchParams();
  for (const name of FILTERS) for (const each of [chosen[name]].flat()) if (each) fields.append(name, each);
  if (chosen.sort !== FIRST) fields.set("sort", chosen.sort);
  if (columns.length && columns.join() !== USUAL.join()) fields.set("columns", columns.join(","));
  return fields.toString();
}

function columnsOf(query) {
  let text = query.get("columns");
  try {
    text ??= localStorage.getItem(COLUMNS_KEY);
  } catch {
    // Nothing is kept in this browser.
  }
  const wanted = new Set((text ?? USUAL.join(",")).split(",").concat("text"));
  return COLUMNS.map((column) => column.key).filter((key) => wanted.has(key));
}
