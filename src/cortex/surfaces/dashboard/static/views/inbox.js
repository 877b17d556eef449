/** The inbox: what needs a person, one decision per key, several at once, and undo. */

import { fill, h, memoryPath } from "../dom.js";
import { counted, words } from "../format.js";
import { settled } from "../live.js";
import { button, chips, dialog, empty, failure, field, head, loaded, notice, toast, when } from "../parts.js";

const LONGEST = 2_000;
const SNOOZE_DAYS = 7;
const VERDICTS = [
  ["approve", "a", "Approve", "check"],
  ["edit", "e", "Edit", "pen"],
  ["reject", "x", "Reject", "bin"],
  ["rule", "r", "Make a rule", "shield"],
  ["merge", "m", "Merge", "merge"],
  ["snooze", "s", "Snooze", "clock"],
];
const DONE = { approve: "Approved", edit: "Edited", reject: "Rejected", rule: "Made a rule", merge: "Merged", snooze: `Snoozed for ${SNOOZE_DAYS} days` };
const OF_KEY = Object.fromEntries(VERDICTS.map(([verdict, key]) => [key, verdict]));
const TONES = { untrusted_rule: "bad", contradiction: "warn", quarantined: "bad", rejected_before: "warn" };

export async function showInbox({ api, live, root, signal, canAdminister }) {
  const page = { api, canAdminister, signal, all: false, found: null, chosen: new Set(), keep: new Map(), undo: [], isBusy: false };
  const tools = h("div", { class: "row" });
  const bar = h("div", { class: "inbox-bulk", role: "toolbar", "aria-label": "Selected items", hidden: true });
  const problem = h("div", { class: "stack" });
  const list = h("div", { class: "stack" });
  fill(root, head("Inbox", "Needs your decision: most harmful first, at most 20 a day.", tools), problem, bar, list);

  const ask = () => api.get("/v1/inbox", { limit: page.all ? 200 : 20, all: page.all || null }, { signal });
  let last = "";
  function reload({ at = null } = {}) {
    return loaded(list, signal, ask, (found) => {
      const now = JSON.stringify(found);
      if (now === last && at === null) return undefined;
      last = now;
      page.found = found;
      const open = new Set(found.items.map((item) => item.id));
      page.chosen = new Set([...page.chosen].filter((id) => open.has(id)));
      const focused = document.activeElement?.closest("[data-item]")?.dataset.item;
      setTimeout(() => focusOn(at ?? focused), 0);
      showTools();
      showBar();
      return shown();
    });
  }

  /** Focus the item with this id, or the one at this place. */
  function focusOn(which) {
    if (which === null || which === undefined) return;
    const all = [...list.querySelectorAll("[data-item]")];
    const one = typeof which === "number" ? all[Math.min(which, all.length - 1)] : all.find((each) => each.dataset.item === which);
    if (!one?.contains(document.activeElement)) one?.focus({ preventScroll: true });
    one?.scrollIntoView({ block: "nearest" });
  }

  function shown() {
    const { items, waiting, decided_today: decided, snoozed } = page.found;
    const rest = waiting - items.length;
    return [
      items.length > 0 && h("ol", { class: "results", "aria-label": "Inbox items" }, items.map((item) => h("li", {}, card(item)))),
      !items.length && empty("inbox", waiting ? "Done for today" : "Nothing needs you", waiting ? `${counted(waiting, "item")} wait for another day.` : "New items appear here by themselves."),
      h("p", { class: "row between small quiet" },
        h("span", {}, [decided && `${counted(decided, "decision")} today`, snoozed && `${snoozed} snoozed`].filter(Boolean).join(" · ")),
        rest > 0 && button(`Show ${rest} more`, () => { page.all = true; reload({ at: items.length }); }, { kind: "small" })),
    ];
  }

  function card(item) {
    const sides = item.other ? [item.trace, item.other] : [item.trace];
    const box = h("input", { type: "checkbox", checked: page.chosen.has(item.id), "aria-label": "Select", on: { change: () => choose(item) } });
    const one = h(
      "article",
      { class: ["hit", "inbox-item"], tabindex: "0", data: { item: item.id }, "aria-label": item.because.join(" ") },
      h("div", { class: "row" },
        canAdminister && h("label", { class: "pick-one" }, box),
        h("div", { class: "chips" }, item.reasons.map((reason) => h("span", { class: ["chip", TONES[reason] ?? "accent"] }, words(reason)))),
        h("p", { class: "because" }, item.because.join(" "))),
      sides.length === 1 ? statement(item.trace) : h("div", { class: "sides" }, sides.map((trace, at) => side(item, trace, at))),
      canAdminister && h("div", { class: "row decisions" }, VERDICTS.filter(([verdict]) => item.verdicts.includes(verdict)).map(([verdict, key, name, symbol]) =>
        withKey(button(labelOf(item, verdict, name), () => act(verdict, [item]), { kind: verdict === "reject" ? "small danger" : "small", symbol, data: { verdict } }), key))),
    );
    return one;
  }

  function statement(trace, { dated = true } = {}) {
    const text = trace.text.length > LONGEST ? `${trace.text.slice(0, LONGEST)}…` : trace.text;
    const turn = trace.source_turns?.[0];
    return [
      h("a", { class: "hit-text any-script", href: memoryPath(trace.id) }, text),
      h("div", { class: "row" }, chips(trace, { dated }), turn && h("a", { class: "small", href: memoryPath(turn) }, "Source turn")),
    ];
  }

  function side(item, trace, at) {
    const isKept = page.keep.get(item.id) === trace.id;
    return h("section", { class: ["side-by-side", isKept ? "kept" : ""], "aria-label": at ? "Later" : "Earlier" },
      h("div", { class: "row between" },
        h("h3", {}, at ? "Later" : "Earlier", " · ", when(trace.created_at, "moment")),
        canAdminister && withKey(button("Keep this one", () => keep(item, trace), { kind: "small", "aria-pressed": String(isKept) }), at + 1)),
      statement(trace, { dated: false }));
  }

  /** What a decision is called where there are two memories: that depends on whether one was chosen. */
  function labelOf(item, verdict, name) {
    if (!item.other) return name;
    const isChosen = page.keep.has(item.id);
    if (verdict === "reject") return isChosen ? "Reject the other" : "Reject both";
    if (verdict !== "approve") return name;
    if (item.reasons.includes("duplicate")) return "Keep both";
    return isChosen ? "Approve this one" : "Both are true";
  }

  /** Whether a decision still needs to know which of two memories is meant; of several items, to reject does too. */
  const lacksChoice = (item, verdict, isOneOfSeveral) =>
    item.other && !page.keep.has(item.id) && (["edit", "rule"].includes(verdict) || (isOneOfSeveral && verdict === "reject"));

  function keep(item, trace) {
    if (page.keep.get(item.id) === trace.id) page.keep.delete(item.id);
    else page.keep.set(item.id, trace.id);
    redraw(item.id);
  }

  function choose(item) {
    if (!page.chosen.delete(item.id)) page.chosen.add(item.id);
    redraw(item.id);
  }

  function redraw(focused) {
    fill(list, shown());
    showBar();
    focusOn(focused);
  }

  // --- deciding ------------------------------------------------------------------------------------------------------

  function showTools() {
    fill(tools, canAdminister && withKey(button("Undo", undo, { symbol: "undo", disabled: !page.undo.length }), "u"));
  }

  function showBar() {
    const items = selected();
    fill(bar, items.length > 0 && [
      h("b", { role: "status" }, `${items.length} selected`),
      VERDICTS.filter(([verdict]) => verdict !== "edit" && items.every((item) => item.verdicts.includes(verdict) && !lacksChoice(item, verdict, true))).map(([verdict, , name, symbol]) =>
        button(verdict === "rule" ? "Make all rules" : `${name} all`, () => act(verdict, items), { kind: verdict === "reject" ? "small danger" : "small", symbol })),
      button("Clear", () => { page.chosen.clear(); redraw(null); }, { kind: "small plain" }),
    ]);
    bar.hidden = !items.length;
  }

  const selected = () => (page.found?.items ?? []).filter((item) => page.chosen.has(item.id));

  async function act(verdict, items) {
    if (page.isBusy || !canAdminister || !items.length || !items.every((item) => item.verdicts.includes(verdict))) return;
    if (items.some((item) => lacksChoice(item, verdict, items.length > 1))) return toast("Choose one of the two first: 1 or 2.");
    const decisions = items.map((item) => ({ id: item.id, revision: item.revision, verdict, ...extra(item, verdict) }));
    if (verdict === "edit") {
      const [item] = items;
      const text = await rewritten([item.trace, item.other].find((trace) => trace && trace.id === (page.keep.get(item.id) ?? item.trace.id)));
      if (text === null) return focusOn(item.id);
      decisions[0].text = text;
    }
    const place = page.found.items.findIndex((item) => item.id === items[0].id);
    await send(async () => {
      const done = await api.post("/v1/inbox/decide", { decisions }, { signal });
      page.undo.push(done.decisions.map((each) => each.id));
      items.forEach((item) => page.chosen.delete(item.id));
      toast(items.length > 1 ? `${DONE[verdict]}: ${counted(items.length, "item")}` : DONE[verdict]);
      for (const each of done.moved) toast(`${each.extractor} now has to be ${Math.round(each.threshold * 1000) / 10}% sure.`);
    }, place);
  }

  function extra(item, verdict) {
    if (verdict === "snooze") return { days: SNOOZE_DAYS };
    const kept = page.keep.get(item.id);
    const isApart = verdict === "approve" && item.reasons.includes("duplicate");
    return kept && !isApart ? { keep: kept } : {};
  }

  async function undo() {
    const ids = page.undo.at(-1);
    if (page.isBusy || !ids) return;
    await send(async () => {
      await api.post("/v1/inbox/undo", { decisions: ids }, { signal });
      page.undo.pop();
      toast(ids.length > 1 ? `${counted(ids.length, "decision")} undone` : "Undone");
    }, 0);
  }

  /** Everything is decided at once or not at all, so after a failure the list shows what happened. */
  async function send(request, place) {
    page.isBusy = true;
    fill(problem);
    try {
      await request();
    } catch (error) {
      if (signal.aborted || error.status === 401) return;
      fill(problem, failure(error, null), !error.status && notice("", "Nothing is half done", h("p", {}, "Either all of it was decided or nothing. The list below shows which once the server answers.")));
    } finally {
      page.isBusy = false;
    }
    await reload({ at: place });
  }

  // --- keys ----------------------------------------------------------------------------------------------------------

  addEventListener("keydown", (event) => {
    const item = current();
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.target.matches?.("input:not([type=checkbox]), textarea, select")) return;
    if (event.key === "u") undo();
    else if (OF_KEY[event.key] && page.chosen.size && OF_KEY[event.key] !== "edit") act(OF_KEY[event.key], selected());
    else if (!item) return;
    else if (OF_KEY[event.key]) act(OF_KEY[event.key], [item]);
    else if (event.key === " " && !event.target.matches?.("button, input")) choose(item);
    else if (item.other && ["1", "2"].includes(event.key)) keep(item, event.key === "1" ? item.trace : item.other);
    else return;
    event.preventDefault();
  }, { signal });

  function current() {
    const id = document.activeElement?.closest("[data-item]")?.dataset.item;
    return page.found?.items.find((item) => item.id === id);
  }

  const soon = settled(() => !page.isBusy && !document.querySelector("dialog[open]") && reload(), signal, { quiet: 900 });
  live.onChange((state) => state.position, signal, soon);
  await reload();
  if (!canAdminister) fill(problem, notice("", "Administrators decide", h("p", {}, "You can read the inbox. To decide, sign in with a token that has the right admin.")));
  showTools();
}

/** A button that shows the key that presses it. */
function withKey(one, key) {
  one.append(h("kbd", { class: "wide-only", "aria-hidden": "true" }, key));
  return one;
}

/** The new text of a memory, or null. */
async function rewritten(trace) {
  const area = h("textarea", { class: "area", rows: "6", spellcheck: "true" });
  area.value = trace.text;
  const done = await dialog("Edit and approve", field("Text", area), (close) => [button("Cancel", () => close("")), button("Save", () => close("save"), { kind: "main-action" })]);
  return done === "save" ? area.value : null;
}
