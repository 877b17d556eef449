/** Canary: other settings, compared on the golden set and tried by some sessions. */

import { fill, h } from "../dom.js";
import { counted, milliseconds, percent, whole, words } from "../format.js";
import { button, command, dialog, empty, failure, forAdministrators, head, loaded, notice, panel, sentence, tiles, toast, when } from "../parts.js";

const LEAST = 60;
/** So many times as slow is refused. */
const SLOWER = 1.25;
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
      button("Stop", () => decide("Stop the canary?", "Every session uses the old settings again at once.", "Stop it", "/v1/canary/stop", "Canary stopped"), { kind: "danger" }),
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
  const { control, candidate, questions: number, reasons = [], lacking = [] } = canary.comparison;
  const [begun, ends, now] = [canary.started_at, canary.ends_at, Date.now()].map((at) => new Date(at).getTime());
  const isRunning = canary.state === "running";
  return [
    h("section", { class: "panel canary" },
      h("div", { class: "panel-head" }, h("h2", {}, Object.entries(canary.settings).map(([name, value]) => h("code", {}, `${name} = ${value} `))), h("span", { class: ["chip", tone] }, state)),
      isRunning && h("div", { class: "span" },
        h("progress", { max: ends - begun, value: Math.min(now, ends) - begun, "aria-label": "How much of its time is over" }),
        h("p", { class: "row between small quiet" }, h("span", {}, "began ", when(canary.started_at)), h("span", {}, "ends ", when(canary.ends_at)))),
      h("p", { class: "small quiet" }, `${percent(canary.share)} of the sessions of ${canary.agent}${isRunning ? " try it" : ""}. Compared on the memory of ${canary.user}.`,
        !isRunning && [" Began ", when(canary.started_at, "moment"), canary.closed_at && [", closed ", when(canary.closed_at, "moment")], "."])),
    canary.why && notice(tone === "bad" ? "bad" : "warn", `Why it was ${state}`, h("p", {}, sentence(canary.why))),
    control && panel("On the golden set", counted(number, "question"), arms(canary.comparison, control, candidate),
      reasons.length > 0 && sentence(reasons.join("; ")) !== sentence(canary.why || "") && h("ul", { class: "reasons" }, reasons.map((each) => h("li", {}, sentence(each)))),
      lacking.length > 0 && h("p", { class: "small quiet" }, `Some answers went another way than usual: ${lacking.map(words).join(", ")}.`)),
  ];
}

/** Both sides beside each other; what the canary does better or worse is said in the last column. */
function arms({ difference, interval }, control, candidate) {
  const slower = control.p95_ms ? candidate.p95_ms / control.p95_ms : null;
  const scopes = candidate.wrong_scope - control.wrong_scope;
  const rows = [
    ["Right among the first five", "hit_at_5", percent, [points(difference), interval[0] > 0 ? "good" : interval[1] < 0 ? "bad" : ""], `95% sure: ${points(interval[0])} to ${points(interval[1])}`],
    ["Hits from another scope", "wrong_scope", whole, [scopes ? `${scopes > 0 ? "+" : "−"}${whole(Math.abs(scopes))}` : "same", scopes > 0 ? "bad" : ""], null],
    ["95th percentile", "p95_ms", milliseconds, [slower === null ? "–" : `× ${slower.toFixed(2)}`, slower > SLOWER ? "bad" : ""], null],
  ];
  return h("table", { class: "table arms" },
    h("caption", { class: "hidden" }, "Both sides on the golden set"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "hidden" }, "Figure")), ["In force", "Canary", "Difference"].map((name) => h("th", { scope: "col", class: "num" }, name)))),
    h("tbody", {}, rows.map(([name, key, write, [text, tone], about]) => h("tr", {},
      h("th", { scope: "row" }, name), h("td", { class: "num" }, write(control[key])), h("td", { class: "num" }, h("b", {}, write(candidate[key]))),
      h("td", { class: "num" }, h("span", { class: tone && ["chip", tone] }, text), about && h("small", { class: "quiet" }, about))))));
}

function questions(golden, build) {
  const again = button(golden.questions ? "Build anew" : "Build", build, { kind: "small", symbol: "repeat" });
  if (!golden.questions) return panel("Golden set", null, h("p", { class: "small quiet" }, `A set needs ${LEAST} recorded recalls whose right answers are known, such as those that a reply repeated.`), h("div", { class: "row end" }, again));
  const numbers = [["Questions", golden.questions, ""], ["With an answer", golden.answered, ""], ["Rightly silent", golden.silent, "nothing should be found"], ["Approved", golden.approved, "by a person"]];
  return h("section", { class: "stack" },
    h("div", { class: "row between" }, h("div", { class: "row" }, h("h2", {}, "Golden set"), h("p", { class: "small quiet" }, "built ", when(golden.built_at))), again),
    tiles(numbers.map(([label, value, about]) => ({ label, value: whole(value), about }))));
}

const points = (share) => `${share > 0 ? "+" : share < 0 ? "−" : ""}${Math.abs(100 * share).toFixed(1)} points`;
