/** Tags: named states of the memory, what changed since, and the way back. */

import { fill, h } from "../dom.js";
import { counted, moment, title as titled, whole, words } from "../format.js";
import { button, dialog, empty, failure, field, head, loaded, notice, occupied, panel, sentence, tiles, toast, traceLink, when } from "../parts.js";

const MOST_SHOWN = 300;
const CHANGES = { added: "good", changed: "accent", withdrawn: "bad", restored: "warn" };
const PLAN = [
  ["withdrawn", "memory would be withdrawn: it was created after the tag", "memories would be withdrawn: they were created after the tag"],
  ["restored", "memory would be restored: it was forgotten, expired or superseded after the tag", "memories would be restored: they were forgotten, expired or superseded after the tag"],
  ["reverted", "memory would be as it was: it was edited after the tag", "memories would be as they were: they were edited after the tag"],
];

export async function showHistory({ api, root, signal, canAdminister }) {
  const place = h("div", { class: "stack" });
  const create = canAdminister && button("New tag", () => make(), { kind: "main-action", symbol: "plus" });
  fill(root, head("Tags", "Named states of the memory, to compare with and to go back to. Large changes make one by themselves.", create), place);
  const load = () => loaded(place, signal, () => api.get("/v1/tags", {}, { signal }), ({ tags }) => {
    if (!tags.length) return h("section", { class: "panel" }, empty("history", "No tags yet", "Name the present state before you change much."));
    const cell = (content, kind = "") => h("td", { class: kind }, content);
    return h("div", { class: "panel flush" }, h("table", { class: "table slips" },
      h("caption", { class: "hidden" }, "Tags, the latest first"),
      h("thead", {}, h("tr", {}, ["Tag", "Created", "Reason"].map((name) => h("th", { scope: "col" }, name)), h("th", { scope: "col", class: "num" }, "Position"), canAdminister && h("th", { scope: "col" }, h("span", { class: "hidden" }, "Actions")))),
      h("tbody", {}, tags.toReversed().map((tag) => h("tr", { tabindex: "-1", data: { item: "", tag: tag.name } },
        cell([h("a", { href: tagPath(tag.name) }, tag.name), tag.automatic && h("span", { class: "chip" }, "automatic")], "named"),
        cell(when(tag.at, "moment"), "nowrap"), cell(words(tag.reason), "whole"), cell(whole(tag.position), "num"),
        canAdminister && cell(button("Remove", () => remove(tag), { kind: "small plain", "aria-label": `Remove the tag ${tag.name}` }), "acts"))))));
  });
  async function make() {
    const name = h("input", { class: "input", autocomplete: "off", spellcheck: "false", maxlength: 64, placeholder: "before-upgrade" });
    const reason = h("input", { class: "input", autocomplete: "off", maxlength: 200 });
    const done = await dialog("Name the present state", h("div", { class: "stack" }, field("Tag", name, "Letters, digits, dots and hyphens."), field("Reason", reason)), (close) => [button("Cancel", () => close(""), { kind: "plain" }), button("Create tag", () => close("yes"), { kind: "main-action" })]);
    if (done) await act(() => api.post("/v1/tags", { name: name.value.trim(), reason: reason.value.trim() }, { signal }), "Tag created");
  }
  async function remove(tag) {
    const done = await dialog(`Remove the tag ${tag.name}?`, h("p", { class: "small" }, "The memory and its ledger stay as they are."), (close) => [button("Keep it", () => close(""), { kind: "plain" }), button("Remove", () => close("yes"), { kind: "danger main-action" })]);
    if (done) await act(() => api.delete(`/v1/tags/${encodeURIComponent(tag.name)}`, {}, { signal }), "Tag removed");
  }
  async function act(request, said) {
    try {
      await request();
      toast(said);
      await load();
    } catch (error) {
      if (!signal.aborted && error.status !== 401) toast(sentence(error.detail || error.message));
    }
  }
  await load();
}

/** Where what changed since a tag is shown. */
export const tagPath = (name) => `#/tags/${encodeURIComponent(name)}`;

/** What changed since a tag, and the way back. */
export async function showTag({ api, root, signal, title, canAdminister }, name) {
  root.classList.add("wide");
  title(`Since ${name}`);
  const verdict = h("div", { class: "stack", role: "status" });
  const place = h("div", { class: "stack" });
  const back = canAdminister && button("Roll back…", () => plan(), { symbol: "undo" });
  fill(root, head(`Since ${name}`, "What is different now.", back, { crumb: h("a", { href: "#/tags" }, "Tags") }), verdict, place);
  const load = () => loaded(place, signal, () => api.get("/v1/diff", { a: name, turns: true }, { signal }), (found) => {
    const number = (change) => found.differences.filter((each) => each.change === change).length;
    return [
      tiles([...Object.keys(CHANGES).map((change) => ({ label: titled(change), value: whole(number(change)) })), { label: "Erased", value: whole(found.erased), about: "for good" }]),
      found.differences.length ? list(found.differences) : h("section", { class: "panel" }, empty("check", "Nothing changed", `The memory is as it was at position ${whole(found.first)}.`)),
    ];
  });
  /** The plan first; only then the rollback. */
  async function plan() {
    const free = occupied(back);
    fill(verdict);
    try {
      const { users } = await api.post("/v1/rollback", { tag: name, dry_run: true }, { signal });
      const [mine] = users;
      const lines = PLAN.filter(([part]) => mine[part].length).map(([part, one, many]) => h("li", {}, counted(mine[part].length, one, many)));
      if (!lines.length) return fill(verdict, notice("", "There is nothing to roll back", h("p", {}, "All memories are as they were.")));
      const done = await dialog(`Go back to ${name}?`, h("div", { class: "stack tight" },
        h("ul", { class: "reasons" }, lines, mine.kept_out.length > 0 && h("li", {}, `${counted(mine.kept_out.length, "memory stays", "memories stay")} as now: the version of then is damaged or came from an erased turn`)),
        h("p", { class: "small quiet" }, "Turns stay. What was erased stays erased. An automatic tag is made before, by which the rollback can be undone.")),
      (close) => [button("Cancel", () => close(""), { kind: "plain" }), button("Roll back", () => close("yes"), { kind: "danger main-action" })]);
      if (!done) return undefined;
      const did = (await api.post("/v1/rollback", { tag: name }, { signal })).users[0];
      fill(verdict, notice("good", "Rolled back", h("p", {}, `${counted(did.withdrawn.length + did.restored.length + did.reverted.length, "memory", "memories")} changed.`), did.undo && h("p", {}, "Undo it by going back to ", h("a", { href: tagPath(did.undo) }, did.undo), ".")));
      await load();
    } catch (error) {
      if (!signal.aborted && error.status !== 401) fill(verdict, failure(error));
    } finally {
      free();
    }
    return undefined;
  }
  await load();
}

function list(differences) {
  const rest = differences.length - MOST_SHOWN;
  return panel(counted(differences.length, "difference"), rest > 0 ? `the first ${MOST_SHOWN}` : null, h("ol", { class: "changes" }, differences.slice(0, MOST_SHOWN).map((each) => {
    const trace = each.after ?? each.before;
    const before = each.fields.includes("text") && each.before && each.after ? each.before.text : null;
    return h("li", { tabindex: "-1", data: { item: "" } },
      h("span", { class: ["chip", CHANGES[each.change] ?? ""] }, each.change),
      h("div", {}, before && h("del", { class: "old" }, before), traceLink(each.id, trace, { title: trace ? moment(trace.created_at) : "" })),
      h("span", { class: "small quiet" }, each.change === "changed" && each.fields.map(words).join(", ")));
  })));
}
