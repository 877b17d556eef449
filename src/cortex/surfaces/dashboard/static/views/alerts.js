/** Alerts: what needs attention, the most urgent first. */

import { fill, h } from "../dom.js";
import { counted, words } from "../format.js";
import { icon } from "../icons.js";
import { settled } from "../live.js";
import { empty, fix, head, loaded, panel, segments, sentence, when } from "../parts.js";

/** Where each sort of cause is shown. */
const PLACES = { drift: "#/drift", backup: "#/backups", upkeep: "#/health", canary: "#/canary", ladder: "#/usage" };

export async function showAlerts({ api, live, root, signal, query }) {
  const isAll = query.get("show") === "all";
  const choice = segments("show", "Alerts", [["open", "Open"], ["all", "All"]], isAll ? "all" : "open", (value) => (location.hash = value === "all" ? "#/alerts?show=all" : "#/alerts"));
  const place = h("div", { class: "stack" });
  fill(root, head("Alerts", "What needs attention. An alert closes by itself once its cause is over.", choice), place);
  let shown = "";
  const load = () => loaded(place, signal, () => api.get("/v1/alerts", { closed: isAll }, { signal }), ({ alerts }) => {
    const now = JSON.stringify(alerts);
    if (now === shown) return undefined;
    shown = now;
    if (!alerts.length) return h("section", { class: "panel" }, empty("good", "No alerts", isAll ? "Nothing was out of the ordinary so far." : "Nothing is out of the ordinary."));
    const open = alerts.filter((each) => !each.closed_at);
    const over = alerts.filter((each) => each.closed_at);
    return [
      open.length > 0 && panel(counted(open.length, "open alert"), null, list(open)),
      !open.length && h("section", { class: "panel" }, empty("good", "No open alerts", null)),
      over.length > 0 && panel("Over", counted(over.length, "alert"), list(over)),
    ];
  });
  live.onChange((state) => `${state.position}/${state.degraded}`, signal, settled(load, signal));
  await load();
}

function list(alerts) {
  return h("ul", { class: "checks" }, alerts.map((each) => {
    const kind = each.closed_at ? "ok" : each.severity === "critical" ? "bad" : "warn";
    const to = PLACES[each.cause.split(":")[0]];
    return h("li", { class: ["check", kind], tabindex: "-1", data: { item: `${each.cause} ${each.opened_at}`, cause: each.cause } }, icon(kind === "ok" ? "good" : kind), h("div", { class: "body" },
      h("div", { class: "row between" }, h("b", {}, sentence(each.message)), h("span", { class: "quiet" }, each.closed_at ? ["over since ", when(each.closed_at)] : ["since ", when(each.opened_at)])),
      h("div", { class: "chips" }, h("span", { class: ["chip", each.severity === "critical" && !each.closed_at ? "bad" : ""] }, each.severity), h("span", { class: "chip" }, words(each.cause.replace(":", ": "))), to && h("a", { class: "small", href: to }, "Details")),
      !each.closed_at && fix(each.hint)));
  }));
}
