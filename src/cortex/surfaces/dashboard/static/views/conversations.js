/** Conversations: which there are, and each read as a chat with the memories extracted from its turns. */

import { isAbort } from "../api.js";
import { fill, h, memoryPath } from "../dom.js";
import { counted, date, dayName, moment, title as titled, whole } from "../format.js";
import { button, empty, failure, when } from "../parts.js";
import { LongTable, filterBox, paged } from "../table.js";
import { conversationPath } from "./turns.js";

const PAGE = 100;
const AROUND = 30;
const LONG = 1_500;
/** So many turns are in the page at once; further ones take the place of those farthest away. */
const MOST_TURNS = 400;

const COLUMNS = [
  { key: "opening", name: "Conversation", class: "text", cell: (row) => [
    h("a", { href: conversationPath(row.session), tabindex: "-1", dir: "auto", title: row.opening.slice(0, 400) }, row.opening.slice(0, 400) || row.session),
    h("span", { class: "under", "aria-hidden": "true" }, row.session, " · ", counted(row.turns, "turn")),
  ] },
  { key: "session", name: "Session", cell: (row) => h("span", { class: "mono", dir: "auto", title: row.session }, row.session) },
  { key: "turns", name: "Turns", class: "num", cell: (row) => whole(row.turns) },
  { key: "memories", name: "Memories", class: "num", cell: (row) => (row.memories ? whole(row.memories) : h("span", { class: "quiet" }, "–")) },
  { key: "first", name: "First turn", class: "time", cell: (row) => when(row.first_at, "date") },
  { key: "last", name: "Last turn", class: "time", cell: (row) => when(row.last_at) },
];

export async function showConversations({ api, root, signal, query }) {
  root.classList.add("wide", "filled");
  const chosen = { contains: query.get("contains") ?? "" };
  const table = new LongTable({ label: "Conversations", canSelect: false, open: (row) => (location.hash = conversationPath(row.session)) });
  const nothing = h("div", { class: "stack" });
  const box = filterBox(table, { label: "Filter by session", value: chosen.contains, most: 256, signal, changed: (contains) => {
    chosen.contains = contains;
    history.replaceState(null, "", contains ? `#/conversations?${new URLSearchParams(chosen)}` : "#/conversations");
    again();
  } });
  fill(
    root,
    h("div", { class: "head" }, h("div", {}, h("h1", { tabindex: "-1" }, "Conversations"), h("p", {}, "What was said, turn by turn, and what was remembered of it."))),
    h("form", { class: "filter-bar", role: "search", "aria-label": "Filter conversations", on: { submit: (event) => event.preventDefault() } }, box),
    nothing,
    table.element,
  );
  table.arrange(COLUMNS, "");
  const again = paged(table, {
    signal,
    place: nothing,
    load: async (after, limit) => {
      const { conversations, next } = await api.get("/v1/conversations", { ...chosen, after, limit }, { signal });
      return { rows: conversations.map((each) => ({ ...each, id: each.session })), next };
    },
    shown: ({ rows }) => !rows.length && (chosen.contains ? empty("search", "No conversations match", "Look for another part of the session's name.") : empty("chat", "No conversations yet", "The turns of agents and people appear here.")),
  });
  await again();
}

/** One conversation as a chat. `?turn=12` opens it at a turn. */
export async function showConversation({ api, root, signal, query, title }, session) {
  root.classList.add("narrow");
  const path = `/v1/conversations/${session.split("/").map(encodeURIComponent).join("/")}`;
  const wanted = query.has("turn") ? Math.max(0, Number.parseInt(query.get("turn"), 10) || 0) : null;
  const about = h("p", {});
  const list = h("ol", { class: "chat" });
  const [above, below] = [h("div", { class: "row chat-more" }), h("div", { class: "row chat-more" })];
  const number = h("input", { class: "input", type: "number", min: 1, step: 1, "aria-label": "Turn", placeholder: "Turn" });
  const jump = h("form", { class: "row jump", on: { submit: (event) => {
    event.preventDefault();
    if (number.value) location.hash = conversationPath(session, Number(number.value) - 1);
  } } }, number, button("Go to turn", null, { type: "submit", kind: "small" }));
  title(session);
  fill(
    root,
    h("div", { class: "head" },
      h("div", {}, h("p", { class: "crumb" }, h("a", { href: "#/conversations" }, "Conversations")), h("h1", { tabindex: "-1", dir: "auto" }, session), about),
      h("div", { class: "tools" }, h("a", { class: "button small", href: `#/memories?${new URLSearchParams({ session })}` }, "Its memories"), jump)),
    above,
    list,
    below,
  );
  let [first, last] = [0, -1];

  async function load(after, limit, place, isAbove = false) {
    place.setAttribute("aria-busy", "true");
    try {
      const found = await api.get(path, { after, limit }, { signal });
      if (signal.aborted) return null;
      const turns = found.turns.map((turn) => bubble(turn, found.memories, wanted));
      const hadFocus = place.contains(document.activeElement);
      const near = isAbove ? list.querySelector(".bubble") : list.lastElementChild;
      steady(near, () => {
        if (isAbove) list.prepend(...turns);
        else list.append(...turns);
        separate(list);
      });
      if (hadFocus) turns.at(isAbove ? -1 : 0)?.focus({ preventScroll: true });
      about.textContent = counted(found.last + 1, "turn");
      number.max = String(found.last + 1);
      fill(place);
      return found;
    } catch (error) {
      if (error.status === 404 && !signal.aborted) return missing(root, session);
      if (!isAbort(error) && error.status !== 401 && !signal.aborted) fill(place, failure(error, () => load(after, limit, place, isAbove).then(buttons)));
      return null;
    } finally {
      place.removeAttribute("aria-busy");
    }
  }

  function buttons(found) {
    if (!found) return;
    fill(above, first > 0 && button("Earlier turns", earlier, { kind: "small" }));
    fill(below, last < found.last && button("Later turns", later, { kind: "small" }));
  }

  async function earlier() {
    if (above.ariaBusy) return;
    const from = Math.max(0, first - PAGE);
    const found = await load(from - 1, first - from, above, true);
    if (found) first = from;
    last = trimmed(list, "last") ?? last;
    buttons(found);
  }

  async function later() {
    if (below.ariaBusy) return;
    const found = await load(last, PAGE, below);
    if (found?.turns.length) last = found.turns.at(-1).seq;
    steady(list.lastElementChild, () => (first = trimmed(list, "first") ?? first));
    buttons(found);
  }

  first = Math.max(0, (wanted ?? 0) - AROUND);
  const found = await load(first - 1, PAGE, below);
  if (!found) return;
  last = found.turns.at(-1)?.seq ?? found.last;
  buttons(found);
  if (!found.turns.length) fill(below, empty("chat", "No turns here", "The conversation is shorter."));
  const days = [found.turns[0], found.turns.at(-1)].filter(Boolean).map((turn) => date(turn.created_at));
  if (days.length) about.textContent = `${counted(found.last + 1, "turn")} · ${days[0] === days[1] ? days[0] : `${days[0]} to ${days[1]}`}`;
  const target = list.querySelector("[data-wanted]");
  target?.scrollIntoView({ block: "center" });
  target?.focus({ preventScroll: true });
  const watch = new IntersectionObserver((entries) => {
    if (entries.some((each) => each.isIntersecting)) below.querySelector("button")?.click();
  }, { rootMargin: "600px" });
  watch.observe(below);
  signal.addEventListener("abort", () => watch.disconnect());
}

/** Change what is above an element, or below it, without moving it before the eyes of the reader. */
function steady(element, change) {
  const before = element?.getBoundingClientRect().top;
  change();
  if (element) scrollBy(0, element.getBoundingClientRect().top - before);
}

/** Take turns out at one end while there are too many; gives the number of the turn that is at that end then, or null. */
function trimmed(list, end) {
  const turns = [...list.querySelectorAll(".bubble")];
  const rest = turns.length - MOST_TURNS;
  if (rest <= 0) return null;
  for (const turn of end === "first" ? turns.slice(0, rest) : turns.slice(-rest)) turn.remove();
  separate(list);
  return Number((end === "first" ? turns[rest] : turns.at(-rest - 1)).dataset.seq);
}

/** The whole page where there is no such conversation. */
function missing(root, session) {
  fill(root,
    h("div", { class: "head" }, h("div", {}, h("p", { class: "crumb" }, h("a", { href: "#/conversations" }, "Conversations")), h("h1", { tabindex: "-1", dir: "auto" }, `No conversation '${session}'`))),
    empty("chat", "There is no such conversation", "It was never stored here, or was erased.", h("a", { class: "button", href: "#/conversations" }, "Conversations")));
  return null;
}

/** A line above the first turn of each day. */
function separate(list) {
  for (const each of list.querySelectorAll(".day-line")) each.remove();
  let day = "";
  for (const turn of list.querySelectorAll(".bubble")) {
    if (turn.dataset.day !== day) turn.before(h("li", { class: "day-line" }, turn.dataset.day));
    day = turn.dataset.day;
  }
}

/** One turn, and what was extracted from it. */
function bubble(turn, memories, wanted) {
  const role = turn.role ?? "user";
  const extracted = memories.filter((memory) => memory.source_turns?.includes(turn.id));
  const isOver = turn.state !== "active";
  return h(
    "li",
    { class: ["bubble", role, isOver ? "over" : "", turn.seq === wanted ? "wanted" : ""], tabindex: "-1", data: { item: "", seq: turn.seq, day: dayName(turn.created_at), ...(turn.seq === wanted ? { wanted: "" } : {}) } },
    h("p", { class: "who" },
      h("b", { dir: "auto" }, turn.speaker || titled(role)),
      when(turn.created_at, "clock"),
      h("a", { href: memoryPath(turn.id), title: moment(turn.created_at) }, `#${turn.seq + 1}`),
      isOver && h("span", { class: "chip bad" }, turn.state),
      turn.trust !== "trusted" && h("span", { class: ["chip", turn.trust === "quarantined" ? "bad" : "warn"] }, turn.trust)),
    said(turn.text),
    extracted.length > 0 && h("ul", { class: "extracted", "aria-label": "Memories extracted from this turn" }, extracted.map((memory) =>
      h("li", { class: memory.state === "active" ? "" : "over" }, h("a", { href: memoryPath(memory.id), dir: "auto" }, memory.text), h("span", {}, memory.kind, memory.state !== "active" && ` · ${memory.state}`)))),
  );
}

function said(text) {
  if (text.length <= LONG) return h("p", { class: "words", dir: "auto" }, text);
  const words = h("p", { class: "words", dir: "auto" }, `${text.slice(0, LONG)}…`);
  const more = button(`Show all ${whole(text.length)} characters`, () => (fill(words, text), more.remove()), { kind: "small plain" });
  return [words, more];
}
