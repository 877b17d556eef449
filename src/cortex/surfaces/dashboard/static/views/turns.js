/** Turns as other pages cite them: a link to the conversation, and what was said around them. */

import { fill, h, memoryPath } from "../dom.js";
import { title as titled } from "../format.js";
import { when } from "../parts.js";

const BEFORE = 2;
const AFTER = 2;
const SHOWN = 600;

/** Where a conversation is read, at one of its turns if given. */
export const conversationPath = (session, seq = null) =>
  `#/conversations/${encodeURIComponent(session)}${seq === null || seq === undefined ? "" : `?turn=${seq}`}`;

/**
 * Cited turns between their neighbors, which are loaded at once. Turns that stand near each other are one excerpt.
 *
 * @param {object[]} turns
 * @param {{api: object, signal: AbortSignal}} context
 */
export const citedTurns = (turns, context) => fill(h("div", { class: "turns" }), excerpts(turns).map((some) => excerpt(some, context)));

function excerpts(turns) {
  const ordered = turns.toSorted((one, other) => String(one.session).localeCompare(String(other.session)) || (one.seq ?? 0) - (other.seq ?? 0));
  const found = [];
  for (const turn of ordered) {
    const last = found.at(-1)?.at(-1);
    if (last && last.session === turn.session && turn.seq - last.seq <= BEFORE + AFTER + 1) found.at(-1).push(turn);
    else found.push([turn]);
  }
  return found;
}

function excerpt(cited, { api, signal }) {
  const [first, last] = [cited[0].seq ?? 0, cited.at(-1).seq ?? 0];
  const { session } = cited[0];
  const lines = h("div", { class: "cited-lines" }, cited.map((turn) => line(turn, { isCited: true })));
  const path = `/v1/conversations/${String(session).split("/").map(encodeURIComponent).join("/")}`;
  const after = Math.max(-1, first - BEFORE - 1);
  const ids = new Set(cited.map((turn) => turn.id));
  api.get(path, { after, limit: last - after + AFTER }, { signal }).then(({ turns }) => {
    fill(lines, turns.map((turn) => line(turn, { isCited: ids.has(turn.id) })));
  }, () => {}); // the turns themselves are there
  return h("div", { class: "cited" }, lines, h("p", { class: "small" }, h("a", { href: conversationPath(session, first) }, `Turn ${first + 1} in its conversation`)));
}

function line(turn, { isCited = false } = {}) {
  const words = h("p", { class: "words", dir: "auto" }, isCited ? turn.text : turn.text.slice(0, SHOWN));
  return h("blockquote", { class: ["turn-said", isCited ? "" : "neighbor"] },
    h("p", { class: "who" }, h("b", { dir: "auto" }, turn.speaker || titled(turn.role ?? "user")), when(turn.created_at, "moment"),
      h("a", { href: memoryPath(turn.id) }, `turn ${(turn.seq ?? 0) + 1}${isCited ? ` of ${turn.session ?? "a session"}` : ""}`)),
    words);
}
