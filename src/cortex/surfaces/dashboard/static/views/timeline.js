/** The timeline of changes, newest first. */

import { fill, h } from "../dom.js";
import { counted, dayName } from "../format.js";
import { settled } from "../live.js";
import { LANES, laneName } from "../palette.js";
import { button, empty, failure, head, select, toast, waiting } from "../parts.js";
import { EVENTS, eventRow, lookup } from "./events.js";

const PAGE = 50;

export async function showTimeline({ api, live, root, signal, query }) {
  const chosen = { event: query.get("event") ?? "", lane: query.get("lane") ?? "" };
  const days = h("div", { class: "stack" });
  const newer = h("div", { class: "stack tight" });
  const more = h("div", { class: "row" });
  const find = lookup(api, signal);
  const row = (event) => eventRow(event, { time: "clock", newer: find });
  let newest = 0;

  const choose = (name) => (value) => {
    const fields = new URLSearchParams(Object.entries({ ...chosen, [name]: value }).filter(([, each]) => each));
    location.hash = fields.size ? `#/timeline?${fields}` : "#/timeline";
  };
  const kinds = [["", "All changes"], ...Object.entries(EVENTS).map(([kind, [verb]]) => [kind, verb])];
  const lanes = [["", "All lanes"], ...LANES.map((lane) => [lane, laneName(lane)])];
  fill(
    root,
    head("Timeline", "Every change to the memory.", [
      select(kinds, chosen.event, { class: "select auto", "aria-label": "Events", changed: choose("event") }),
      select(lanes, chosen.lane, { class: "select auto", "aria-label": "Lane", changed: choose("lane") }),
    ]),
    newer,
    days,
    more,
  );
  root.classList.add("narrow");

  const page = (before) => api.get("/v1/timeline", { limit: PAGE, before, event: chosen.event, lane: chosen.lane }, { signal });

  function add(events) {
    for (const event of events) dayOf(event, days, false).append(row(event));
  }

  async function load(before) {
    fill(more, waiting("", "short"));
    try {
      const found = await page(before);
      if (signal.aborted) return;
      add(found.events);
      newest ||= found.events[0]?.position ?? 0;
      if (!days.hasChildNodes()) fill(days, nothing(chosen));
      fill(more, found.next !== null && found.events.length > 0 && button("Show older", () => load(found.next)));
    } catch (error) {
      if (signal.aborted || error.status === 401) return;
      fill(more, failure(error, () => load(before)));
    }
  }

  /** Offer newer events behind a button, so that the page does not move by itself. */
  async function look() {
    let found;
    try {
      found = await page();
    } catch {
      return; // the live mark shows that the server is away
    }
    const fresh = found.events.filter((event) => event.position > newest);
    if (signal.aborted) return;
    const number = fresh.length === PAGE ? `${PAGE}+ new` : `${fresh.length} new`;
    fill(newer, fresh.length > 0 && button(number, () => show(fresh), { kind: "main-action newer", symbol: "plus" }));
  }

  function show(fresh) {
    fill(newer);
    days.querySelector("[data-empty]")?.remove();
    newest = fresh[0].position;
    for (const event of fresh.toReversed()) {
      const one = row(event);
      one.classList.add("fresh");
      dayOf(event, days, true).prepend(one);
    }
    scrollTo({ top: 0, behavior: "smooth" });
    toast(`${counted(fresh.length, "event")} added`);
  }

  const soon = settled(look, signal);
  live.on("state", signal, (state) => state.position > newest && soon());
  await load();
}

function nothing(chosen) {
  return chosen.event || chosen.lane
    ? empty("timeline", "No events match", "Choose other events or another lane.")
    : empty("timeline", "No events yet", "New events appear here as soon as a memory is stored.");
}

/** The list for the day of an event, created if needed. */
function dayOf(event, days, isNewer) {
  const name = dayName(event.at);
  const found = [...days.children].find((day) => day.dataset.day === name);
  if (found) return found.querySelector("ol");
  const list = h("ol", { class: "panel events" });
  const day = h("section", { class: "day", data: { day: name } }, h("h2", {}, name), list);
  if (isNewer) days.prepend(day);
  else days.append(day);
  return list;
}
