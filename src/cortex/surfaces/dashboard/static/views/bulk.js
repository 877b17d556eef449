/** Changes of many memories at once: the dialogs, the request, and what became of each. */

import { fill, h } from "../dom.js";
import { counted, whole, words } from "../format.js";
import { KINDS, LABELS } from "../palette.js";
import { button, dialog, failure, field, select, toast } from "../parts.js";

/** How many the server changes in one transaction. */
export const MOST = 1_000;

const DONE = { forget: "Forgot", restore: "Restored", edit: "Changed" };
const DOING = { forget: "Forgetting", restore: "Restoring", edit: "Changing" };
const LEFT = {
  conflict: (number, wasLost) => `${counted(number, "memory was", "memories were")} changed by somebody else meanwhile${wasLost ? ", or by this change before its answer was lost," : ""} and left alone`,
  missing: (number) => `${counted(number, "memory no longer exists", "memories no longer exist")}`,
  refused: (number) => `${counted(number, "memory", "memories")} cannot be changed so: not active, or a turn or a file`,
  unchanged: (number) => `${counted(number, "memory was", "memories were")} so already`,
};

/** What to change, asked for in a dialog; null where it was canceled. */
export async function asked(what, number) {
  const forms = { move: moving, label: labeling, tag: tagging, kind: sorting };
  const [title, form, read] = forms[what](counted(number, "memory", "memories"));
  const problem = h("p", { class: "small bad-text", role: "alert" });
  let changes = null;
  await dialog(title, h("div", { class: "stack" }, form, problem), (close) => [
    button("Cancel", () => close("")),
    button("Apply", () => {
      changes = read();
      if (changes) close("apply");
      else problem.textContent = "Fill in at least one field.";
    }, { kind: "main-action" }),
  ]);
  return changes;
}

/** Whether to forget so many: only a few are forgotten without a question, as it can be undone. */
export async function confirmed(number) {
  if (number <= 10) return true;
  const done = await dialog(
    `Forget ${counted(number, "memory", "memories")}?`,
    h("p", { class: "small quiet" }, "They are no longer recalled. Their history is kept, and all of it can be undone at once."),
    (close) => [button("Cancel", () => close("")), button("Forget them", () => close("forget"), { kind: "danger main-action" })],
  );
  return done === "forget";
}

function moving(count) {
  const scope = h("input", { class: "input", autocomplete: "off", spellcheck: "false", maxlength: 200 });
  return [`Move ${count}`, field("Scope", scope, "The namespace to move them to."), () => scope.value.trim() && { scope: scope.value.trim() }];
}

function labeling(count) {
  const label = select(LABELS.map((each) => [each, words(each)]), LABELS[0]);
  return [`Label ${count}`, field("Importance label", label), () => ({ label: label.value })];
}

function sorting(count) {
  const kind = select(KINDS.map((each) => [each, each]), KINDS[0]);
  return [`Set the kind of ${count}`, field("Kind", kind), () => ({ kind: kind.value })];
}

function tagging(count) {
  const [added, removed] = [0, 1].map(() => h("input", { class: "input", autocomplete: "off", spellcheck: "false" }));
  const listed = (input) => input.value.split(",").map((each) => each.trim()).filter(Boolean);
  return [
    `Tag ${count}`,
    h("div", { class: "stack" }, field("Add tags", added, "Separated by commas."), field("Remove tags", removed)),
    () => (listed(added).length || listed(removed).length) && { add_tags: listed(added), remove_tags: listed(removed) },
  ];
}

/**
 * Carry out one change and say in `place` what became of it, with a button that takes it back. More than the server changes
 * at once go in batches, each one transaction; whoever stops, or loses the connection, reads how far it went.
 *
 * @param {{api: object, place: HTMLElement, reload: () => Promise<void>}} page
 * @param {{id: string, seenAt: number}[]} picked
 */
export async function changed(page, action, picked, changes = {}) {
  const batches = Array.from({ length: Math.ceil(picked.length / MOST) }, (_, at) => picked.slice(at * MOST, (at + 1) * MOST));
  const calls = batches.map((batch) => () => page.api.post("/v1/bulk", { action, ids: batch.map((row) => row.id), seen_at: Math.min(...batch.map((row) => row.seenAt)), ...changes }));
  await carriedOut(page, calls, { verb: DONE[action], doing: DOING[action], total: picked.length });
}

const undone = (page, runs, total) =>
  carriedOut(page, runs.toReversed().map((run) => () => page.api.post("/v1/bulk/undo", { run })), { verb: "Took back", doing: "Taking back", total });

async function carriedOut(page, calls, words, { counts = {}, runs = [], wasLost = false } = {}) {
  let [at, isStopped, problem] = [0, false, null];
  for (; at < calls.length && !isStopped && !problem; at += 1) {
    if (calls.length > 1) fill(page.place, working(words, counts, () => (isStopped = true)));
    try {
      const found = await calls[at]();
      for (const status of Object.values(found.statuses)) counts[status] = (counts[status] ?? 0) + 1;
      if (found.run) runs.push(found.run);
    } catch (error) {
      if (error.status === 401) return;
      problem = error;
      at -= 1;
    }
  }
  const rest = calls.slice(at);
  const isUnsure = problem?.status === 0;
  const goOn = () => carriedOut(page, rest, words, { counts, runs, wasLost: wasLost || isUnsure });
  const isBegun = Object.keys(counts).length > 0;
  fill(
    page.place,
    problem && failure(problem, isUnsure || isBegun ? goOn : null),
    isUnsure && h("p", { class: "small quiet" }, `What was asked last was done to all of ${calls.length > 1 ? "its batch" : "them"} or to none: it is not known.`),
    (isBegun || !problem) && outcome(page, words, counts, runs, { wasLost, left: rest.length, goOn: isStopped && !problem && goOn }),
  );
  if (isBegun) {
    toast(`${words.verb} ${counted(counts.changed ?? 0, "memory", "memories")}.`);
    await page.reload();
  }
}

const sum = (counts) => Object.values(counts).reduce((all, each) => all + each, 0);

function working({ doing, total }, counts, stop) {
  return h("div", { class: "done", role: "status", data: { working: "" } },
    h("p", {}, h("b", {}, `${doing}: ${whole(sum(counts))} of ${whole(total)}`)),
    h("progress", { max: total, value: sum(counts), "aria-label": doing }),
    button("Stop", stop, { kind: "small" }));
}

/** What became of each, what is left of a change that was stopped, and the way back. */
function outcome(page, { verb, total }, counts, runs, { wasLost, left, goOn }) {
  const lines = Object.keys(LEFT).filter((status) => counts[status]).map((status) => LEFT[status](counts[status], wasLost));
  const text = `${verb} ${counted(counts.changed ?? 0, "memory", "memories")}${left ? ` of ${whole(total)}` : ""}.`;
  return h("div", { class: ["done", lines.length || left ? "mixed" : ""], role: "status", data: { done: "" } },
    h("p", {}, h("b", {}, text), lines.length > 0 && ` ${lines.join("; ")}.`, left > 0 && " The rest is still to do."),
    goOn && left > 0 && button("Go on", goOn, { kind: "small" }),
    runs.length > 0 && button("Undo", () => undone(page, runs, counts.changed), { kind: "small", symbol: "undo" }),
    h("button", { class: "link-button", type: "button", on: { click: () => fill(page.place) } }, "Dismiss"));
}
