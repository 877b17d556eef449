/** Two recorded recalls side by side: which hits differ, and what may be the reason. */

import { fill, h, receiptPath } from "../dom.js";
import { milliseconds, moment, title as titled, whole, words } from "../format.js";
import { head, loaded, notice, panel, traceLink, when } from "../parts.js";
import { lookup } from "./events.js";

export async function showComparison({ api, root, signal, title }, one, other) {
  root.classList.add("wide");
  title("Two recalls");
  const find = lookup(api, signal);
  const receipt = (id) => api.get(`/v1/receipts/${encodeURIComponent(id)}`, {}, { signal });
  const ask = async () => {
    const receipts = await Promise.all([receipt(one), receipt(other)]);
    const [before, after] = receipts.sort((each, next) => (each.at < next.at ? -1 : 1));
    return [before, after, await api.get(`/v1/receipts/${encodeURIComponent(before.id)}/compare/${encodeURIComponent(after.id)}`, {}, { signal })];
  };
  await loaded(root, signal, ask, ([before, after, found]) => [
    head("Two recalls", null, [], { crumb: h("a", { href: "#/receipts?op=recall" }, "Receipts") }),
    verdict(found),
    h("div", { class: "panel flush" }, hits(found, before, after, find)),
    h("div", { class: "cols-2" }, differences("Settings that differ", found.settings, "Both used the same settings."), differences("Numbers that differ", found.numbers, "All numbers are the same.")),
    degraded(found),
  ], { title: "Two recalls" });
}

function verdict(found) {
  const about = found.same_question ? "Both asked the same question." : "They asked different questions.";
  if (found.same_answer) return notice("good", "Same answer", h("p", {}, about));
  const moved = found.hits.filter((hit) => hit.before_rank !== null && hit.rank !== null && hit.before_rank !== hit.rank).length;
  const [gone, fresh] = [found.hits.filter((hit) => hit.rank === null).length, found.hits.filter((hit) => hit.before_rank === null).length];
  return notice("warn", "Different answers", h("p", {}, `${about} ${fresh} new, ${gone} gone, ${moved} at another place.`));
}

function hits(found, before, after, find) {
  const side = (name, receipt) => h("th", { scope: "col", class: "num" }, h("a", { href: receiptPath(receipt.id), title: moment(receipt.at) }, name), h("br"), when(receipt.at, "moment"));
  return h("table", { class: "table slips compared" },
    h("caption", { class: "hidden" }, "Hits of both recalls"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Hit"), side("Earlier", before), side("Later", after), h("th", { scope: "col", class: "num" }, "Change"))),
    h("tbody", {}, found.hits.map((hit) => {
      const link = traceLink(hit.id, undefined);
      find(hit.id).then((trace) => (link.textContent = trace?.text ?? `no longer available (${hit.id})`), () => {});
      const isSame = hit.before_rank === hit.rank && hit.before_score === hit.score;
      return h("tr", { class: isSame ? "idle" : "", tabindex: "-1", data: { item: "", hit: hit.id } },
        h("td", { class: "whole line" }, link), h("td", { class: "num" }, place(hit.before_rank, hit.before_score)), h("td", { class: "num" }, place(hit.rank, hit.score)), h("td", { class: "num nowrap" }, change(hit)));
    })),
    !found.hits.length && h("tbody", {}, h("tr", {}, h("td", { colspan: 4, class: "quiet" }, "Neither found anything."))));
}

const place = (rank, score) => (rank === null ? h("span", { class: "quiet" }, "–") : [h("b", {}, `#${rank}`), " ", h("span", { class: "quiet" }, score.toFixed(3))]);

function change(hit) {
  if (hit.before_rank === null) return h("span", { class: "chip good" }, "new");
  if (hit.rank === null) return h("span", { class: "chip bad" }, "gone");
  const up = hit.before_rank - hit.rank;
  if (up) return h("span", { class: "chip" }, up > 0 ? `up ${up}` : `down ${-up}`);
  const by = hit.score - hit.before_score;
  return h("span", { class: "quiet" }, by ? `${by > 0 ? "+" : "−"}${Math.abs(by).toFixed(3)}` : "same");
}

function differences(name, found, none) {
  if (!found.length) return panel(name, null, h("p", { class: "small quiet" }, none));
  return panel(name, null, h("table", { class: "table" },
    h("caption", { class: "hidden" }, name),
    h("thead", {}, h("tr", {}, ["", "Earlier", "Later"].map((each) => h("th", { scope: "col" }, each || h("span", { class: "hidden" }, "Name"))))),
    h("tbody", {}, found.map((each) => h("tr", {}, h("th", { scope: "row" }, titled(each.name.replace("request.", "").replace("_ms", ""))), h("td", {}, written(each.before, each.name)), h("td", {}, written(each.after, each.name)))))));
}

function written(value, name) {
  if (value === null || value === undefined || value === "") return h("span", { class: "quiet" }, "–");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return name.endsWith("_ms") ? milliseconds(value) : Number.isInteger(value) ? whole(value) : value.toFixed(3);
  return h("span", { class: "mono" }, Array.isArray(value) ? value.join(", ") : typeof value === "object" ? JSON.stringify(value) : String(value));
}

function degraded(found) {
  return [["Degraded in the earlier", found.degraded_before], ["Degraded in the later", found.degraded_after]].map(([name, codes]) => codes.length > 0 && notice("warn", name, h("p", {}, codes.map(words).join(", "))));
}
