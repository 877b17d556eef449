/** Events of the ledger, as the overview and the timeline show them. */

import { h, memoryPath } from "../dom.js";
import { icon } from "../icons.js";
import { traceLink, when } from "../parts.js";

/** The name, icon and tone of each event. */
export const EVENTS = {
  remembered: ["Remembered", "plus", "accent"],
  said: ["Said", "chat", ""],
  chunked: ["Read from a file", "file", ""],
  revised: ["Edited", "pen", ""],
  superseded: ["Superseded", "swap", "warn"],
  reinforced: ["Repeated", "repeat", ""],
  contradicted: ["Contradicted", "clash", "warn"],
  consolidated: ["Merged", "merge", ""],
  outdated: ["Outdated", "clock", "warn"],
  withdrawn: ["Withdrawn", "undo", "warn"],
  forgotten: ["Forgotten", "bin", "bad"],
  restored: ["Restored", "undo", "accent"],
  expired: ["Expired", "clock", "warn"],
  imported: ["Imported", "inbox", "accent"],
  removed: ["Removed", "bin", "bad"],
  erased: ["Erased", "bin", "bad"],
  embedded: ["Embedded", "spark", ""],
  recalled: ["Recalled", "search", ""],
  graded: ["Graded", "good", ""],
  reviewed: ["Reviewed", "good", "accent"],
  observed: ["Outcome recorded", "good", ""],
  held: ["Hold placed", "shield", "warn"],
  released: ["Hold released", "shield", ""],
  backup_restored: ["Backup restored", "undo", "warn"],
  damaged: ["Damaged", "bad", "bad"],
  clock_set_back: ["Clock set back", "clock", "warn"],
};

/** Events about something that has a name, which is their subject. */
const NAMED = new Set(["held", "released", "backup_restored"]);

/**
 * One event as a row.
 *
 * @param {object} event as `/v1/timeline` gives it
 * @param {{time?: string, newer?: (id: string) => Promise<object|null>}} [options] `newer` finds the memory that replaced one
 */
export function eventRow(event, { time = "ago", newer = null } = {}) {
  const [verb, symbol, tone] = EVENTS[event.event] ?? [event.event, "spark", ""];
  const trace = event.trace;
  const who = trace?.type === "turn" ? ` by ${trace.speaker || trace.role || "user"}` : "";
  return h(
    "li",
    { class: "event", tabindex: "-1", data: { item: event.position, event: event.event, position: event.position } },
    h("span", { class: ["icon", tone] }, icon(symbol)),
    h("div", { class: "what" }, subject(event, newer), h("span", { class: "verb" }, verb, who, trace && ` · ${trace.kind} · ${trace.scope}`)),
    when(event.at, time),
  );
}

const REPLACES = new Set(["superseded", "consolidated"]);

function subject(event, newer) {
  const trace = event.trace;
  if (NAMED.has(event.event)) return h("span", { class: "text" }, event.subject);
  if (!trace) return h("span", { class: "text quiet" }, event.id ? "This memory no longer exists." : "All memories");
  if (!REPLACES.has(event.event) || !trace.superseded_by) return traceLink(trace.id, trace);
  const next = h("a", { href: memoryPath(trace.superseded_by) }, "what replaced it");
  newer?.(trace.superseded_by).then((found) => found && (next.textContent = found.text), () => {});
  return h("span", { class: "text" }, h("a", { class: "old", href: memoryPath(trace.id) }, trace.text), h("span", { class: "to" }, " → "), next);
}

/** Looks up traces by id, each once; null for those that do not exist. */
export function lookup(api, signal) {
  const found = new Map();
  return (id) => {
    if (!found.has(id)) {
      found.set(id, api.get(`/v1/memories/${encodeURIComponent(id)}`, {}, { signal }).catch((error) => {
        if (error.status === 404) return null;
        throw error;
      }));
    }
    return found.get(id);
  };
}
