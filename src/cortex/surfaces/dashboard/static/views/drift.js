/** Drift: the last seven days against the four weeks before. */

import { fill, h } from "../dom.js";
import { counted, percent, shortDay, whole, words } from "../format.js";
import { empty, fold, head, loaded, notice, panel, tiles } from "../parts.js";

const NAMES = {
  labels: ["Importance", "labels of new memories"],
  unknown: ["Rated or not", "share of new memories that nobody rated"],
  kinds: ["Kinds", "kinds of new memories"],
  trust: ["Trust", "trust of new memories"],
  verdicts: ["Capture", "what became of extracted statements"],
  silence: ["Silence", "recalls with an answer and without"],
};
const SHOWN = 6;
/** So many points are a shift, if they are no chance. */
const MOVED = 10;

export async function showDrift({ api, root, signal }) {
  root.classList.add("wide");
  const place = h("div", { class: "stack" });
  fill(root, head("Drift", "The last 7 days beside the 28 before. Each day is counted after its end."), place);
  await loaded(place, signal, () => api.get("/v1/drift", {}, { signal }), (found) => {
    if (found.day === null) return h("section", { class: "panel" }, empty("drift", "No day was counted yet", "The server counts each day after its end (UTC). Come back tomorrow."));
    const open = found.distributions.filter((each) => each.since);
    return [
      tiles([
        { label: "State", value: open.length ? counted(open.length, "alert") : "calm", about: open.length ? open.map((each) => name(each)[0]).join(", ") : "no distribution moved", tone: open.length ? "warn" : "good" },
        { label: "Counted", value: counted(found.days, "day"), about: `up to ${shortDay(found.day)}` },
        { label: "Memories", value: whole(found.memories), about: "that could be found then" },
        { label: "Not rated", value: found.memories ? percent(found.unknown / found.memories) : "–", about: whole(found.unknown) },
      ]),
      found.base && notice("", `Compared since ${shortDay(found.base)}`, h("p", {}, `After: ${words(found.base_reason)}. Days before are of another sort and are not compared.`)),
      h("div", { class: "chart-grid stretched" }, found.distributions.map(distribution)),
    ];
  });
}

const name = (each) => NAMES[each.name] ?? [words(each.name), ""];

function distribution(each) {
  const [title, about] = name(each);
  const state = each.since ? h("span", { class: "chip warn" }, `moved since ${shortDay(each.since)}`) : each.p_value === null ? h("span", { class: "chip" }, "too few to compare") : h("span", { class: "chip good" }, "calm");
  const total = each.before + each.recent;
  return h("section", { class: "panel", data: { distribution: each.name } },
    h("div", { class: "panel-head" }, h("div", {}, h("h2", {}, title), h("p", {}, about)), state),
    total ? table(each, title) : h("p", { class: "small quiet" }, "Nothing was counted yet."),
    each.p_value !== null && fold("How it was compared", null, h("p", { class: "small quiet" }, `Probability of such a difference without a change: ${precise(each.p_value)} (by a plain test: ${precise(each.plain_p_value)}). Days differ ${each.dispersion.toFixed(1)} times as much as by chance. An alert needs less than 0.001 and a share that moved by 10 points, on two days in a row.`)));
}

function table(each, title) {
  const most = Math.max(0.01, ...each.shares.flatMap((share) => [share.before, share.recent]));
  const bar = (share, kind) => h("div", { class: ["bar", kind], "aria-hidden": "true" }, h("i", { class: kind === "before" ? "c8" : "c1", style: { "inline-size": `${(100 * share) / most}%` } }));
  const rest = each.shares.length - SHOWN;
  return [
    h("table", { class: "table pairs" },
      h("caption", { class: "hidden" }, title),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "hidden" }, "Category")), h("th", { scope: "col" }, h("span", { class: "hidden" }, "Shares")), [["28 days", "c8"], ["7 days", "c1"]].map(([period, color]) => h("th", { scope: "col", class: "num" }, h("span", { class: ["dot-name", color] }, period))), h("th", { scope: "col", class: "num" }, "Points"))),
      h("tbody", {}, each.shares.slice(0, SHOWN).map((share) => h("tr", {}, h("th", { scope: "row" }, words(share.category)), h("td", { class: "marks" }, bar(share.before, "before"), bar(share.recent, "recent")), h("td", { class: "num quiet" }, percent(share.before)), h("td", { class: "num" }, h("b", {}, percent(share.recent))), moved(share))))),
    h("p", { class: "small quiet" }, `${whole(each.recent)} in the last 7 days, ${whole(each.before)} in the 28 before`, rest > 0 && `; and ${counted(rest, "more category", "more categories")}`),
  ];
}

/** By how many points a share moved; those that an alert looks at stand out. */
function moved(share) {
  const points = Math.round(100 * share.recent) - Math.round(100 * share.before);
  return h("td", { class: ["num points", Math.abs(points) >= MOVED ? "far" : "quiet"] }, points ? `${points > 0 ? "+" : "−"}${Math.abs(points)}` : "0");
}

const precise = (value) => (value < 0.001 ? "< 0.001" : value.toFixed(3));
