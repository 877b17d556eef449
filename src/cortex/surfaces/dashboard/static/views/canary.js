/** Canary: other settings, compared on the golden set and tried by some sessions. */

import { fill, h } from "../dom.js";
import { counted, milliseconds, percent, whole, words } from "../format.js";
import { button, command, dialog, empty, facts, failure, forAdministrators, head, loaded, notice, panel, sentence, toast, when } from "../parts.js";

const LEAST = 60;
const STATES = {
  running: ["running", "accent"], promoted: ["promoted", "good"], passed: ["compared, not tried", "good"], refused: ["refused", "bad"], ended: ["over", ""], returned: ["taken back", "warn"],
};

export async function showCanary({ api, root, signal, canAdminister }) {
  if (!canAdminister) {
    fill(root, forAdministrators("Canary"));
    return;
  }
  const verdict = h("div", { class: "stack", role: "status" });
  const place = h("div", { class: "stack" });
  const tools = h("div", { class: "row" });
  fill(root, head("Canary", "Other settings are compared on questions with known answers, then tried by a share of the sessions.", tools), verdict, place);
  const act = async (path, said) => {
    fill(verdict);
    try {
      const done = await api.post(path, {}, { signal });
      toast(said);
      fill(verdict, done.hint && notice("", said, h("p", {}, sentence(done.hint))));
      await load();
    } catch (error) {
      if (!signal.aborted && error.status !== 401) fill(verdict, failure(error));
    }
  };
  const decide = async (title, about, label, path, said) => {
    const done = await dialog(title, h("p", { class: "small" }, about), (close) => [button("Not now", () => close(""), { kind: "plain" }), button(label, () => close("yes"), { kind: "main-action" })]);
    if (done) await act(path, said);
  };
  const ask = async () => [(await api.get("/v1/canary", {}, { signal })).canary, await api.get("/v1/golden", {}, { signal })];
  const load = () => loaded(place, signal, ask, ([canary, golden]) => {
    const isRunning = canary?.state === "running";
    fill(tools, isRunning && [
      button("Stop", () => decide("Take the canary back?", "Every session uses the old settings again at once.", "Take it back", "/v1/canary/stop", "Canary stopped"), { kind: "danger" }),
      button("Promote", () => decide("Promote the canary?", "Its settings are written into the server's settings file and used by every session.", "Promote", "/v1/canary/promote", "Canary promoted"), { kind: "main-action", symbol: "check" }),
    ]);
    return [
      canary ? shown(canary) : h("section", { class: "panel" }, empty("canary", "No canary yet", "Try another recipe on your own questions before everybody gets it.", command("cortex admin canary --set recall.recipe=deep.v1 --dry-run"))),
      questions(golden, () => act("/v1/golden", "Golden set built")),
    ];
  });
  await load();
}

function shown(canary) {
  const [state, tone] = STATES[canary.state] ?? [canary.state, ""];
  const { control, candidate, difference, interval, questions: number, reasons = [], lacking = [] } = canary.comparison;
  return [
    h("section", { class: "panel" },
      h("div", { class: "panel-head" }, h("h2", {}, Object.entries(canary.settings).map(([name, value]) => h("code", {}, `${name} = ${value} `))), h("span", { class: ["chip", tone] }, state)),
      facts([
        ["Share", `${percent(canary.share)} of the sessions`],
        ["Began", when(canary.started_at, "moment")],
        [canary.closed_at ? "Closed" : "Ends", when(canary.closed_at ?? canary.ends_at, "moment")],
        ["Compared for", `${canary.agent}, ${canary.user}`],
        ["Why", canary.why && sentence(canary.why)],
      ])),
    control && panel("On the golden set", counted(number, "question"), arms(control, candidate),
      h("p", { class: "small" }, `Right answers among the first five: ${points(difference)}, with 95 % confidence between ${points(interval[0])} and ${points(interval[1])}.`),
      reasons.length > 0 && h("ul", { class: "reasons" }, reasons.map((each) => h("li", {}, sentence(each)))),
      lacking.length > 0 && h("p", { class: "small quiet" }, `Some answers went another way than usual: ${lacking.map(words).join(", ")}.`)),
  ];
}

function arms(control, candidate) {
  const rows = [["Right among the first five", "hit_at_5", percent], ["Hits from another scope", "wrong_scope", whole], ["95th percentile", "p95_ms", milliseconds]];
  return h("table", { class: "table" },
    h("caption", { class: "hidden" }, "Both arms on the golden set"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "hidden" }, "Figure")), h("th", { scope: "col", class: "num" }, "Settings in force"), h("th", { scope: "col", class: "num" }, "Canary"))),
    h("tbody", {}, rows.map(([name, key, write]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "num" }, write(control[key])), h("td", { class: "num" }, h("b", {}, write(candidate[key])))))));
}

function questions(golden, build) {
  const missing = golden.questions ? null : `A set needs ${LEAST} recorded recalls whose right answers are known, such as those that a reply repeated.`;
  return panel("Golden set", golden.built_at ? h("p", {}, "built ", when(golden.built_at)) : null,
    golden.questions ? facts([["Questions", whole(golden.questions)], ["With an answer", whole(golden.answered)], ["Rightly silent", whole(golden.silent)], ["Approved by a person", whole(golden.approved)]]) : h("p", { class: "small quiet" }, missing),
    h("div", { class: "row end" }, button(golden.questions ? "Build anew" : "Build", build, { kind: "small", symbol: "repeat" })));
}

const points = (share) => `${share > 0 ? "+" : share < 0 ? "−" : ""}${Math.abs(100 * share).toFixed(1)} points`;
