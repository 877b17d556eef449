/** Changes of many memories at once: the dialogs, the request, and what became of each. */

import { fill, h } from "../dom.js";
import { counted, words } from "../format.js";
import { KINDS, LABELS } from "../palette.js";
import { button, dialog, failure, field, select, toast } from "../parts.js";

export const MOST = 1_000;

const DONE = { forget: "Forgot", restore: "Restored", edit: "Changed" };
const LEFT = {
  conflict: (number) => `${counted(number, "memory was", "memories were")} changed by somebody else meanwhile and left alone`,
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
 * Carry out one change and say in `place` what became of it, with a button that takes it back.
 *
 * @param {{api: object, place: HTMLElement, reload: () => Promise<void>}} page
 */
export async function changed(page, action, ids, changes = {}, seenAt = undefined) {
  const body = { action, ids, ...(seenAt === undefined ? {} : { seen_at: seenAt }), ...changes };
  await carriedOut(page, () => page.api.post("/v1/bulk", body), DONE[action]);
}

async function carriedOut(page, call, verb) {
  let found;
  try {
    found = await call();
  } catch (error) {
    if (error.status !== 401) fill(page.place, failure(error, error.status ? null : () => carriedOut(page, call, verb)));
    return;
  }
  const counts = {};
  for (const status of Object.values(found.statuses)) counts[status] = (counts[status] ?? 0) + 1;
  const rest = Object.keys(LEFT).filter((status) => counts[status]).map((status) => LEFT[status](counts[status]));
  const text = `${verb} ${counted(counts.changed ?? 0, "memory", "memories")}.`;
  const undo = found.run && button("Undo", () => carriedOut(page, () => page.api.post("/v1/bulk/undo", { run: found.run }), "Took back"), { kind: "small", symbol: "undo" });
  const hide = h("button", { class: "link-button", type: "button", on: { click: () => fill(page.place) } }, "Dismiss");
  fill(page.place, h("div", { class: ["done", rest.length ? "mixed" : ""], role: "status", data: { done: "" } }, h("p", {}, h("b", {}, text), rest.length > 0 && ` ${rest.join("; ")}.`), undo, hide));
  toast(text);
  await page.reload();
}
