/** What changed in a week, in sentences. */

import { counted, milliseconds, percent, whole } from "./format.js";

const WEEK = 7;
const STORED = ["remembered", "imported"];
const NUMBERS = [
  ["said", "message was stored from conversations", "messages were stored from conversations"],
  ["superseded", "memory was replaced by a newer one", "memories were replaced by newer ones"],
  ["contradicted", "contradiction was found", "contradictions were found"],
  ["revised", "memory was edited", "memories were edited"],
  ["forgotten", "memory was forgotten", "memories were forgotten"],
  ["expired", "memory expired", "memories expired"],
  ["consolidated", "duplicate was merged", "duplicates were merged"],
  ["erased", "memory was erased for good", "memories were erased for good"],
  ["observed", "outcome was recorded", "outcomes were recorded"],
];

/** The sentences: `counts` are of the last 14 days or more as `/v1/activity` gives them, `usage` of 7 days or more. */
export function sentences(counts, usage, today = new Date().toISOString().slice(0, 10)) {
  const begins = before(today, WEEK - 1);
  const sum = (kinds, from = begins, until = "9999") => counts.filter((each) => kinds.includes(each.kind) && each.day >= from && each.day < until).reduce((all, each) => all + each.number, 0);
  const [stored, earlier] = [sum(STORED), sum(STORED, before(begins, WEEK), begins)];
  const found = [
    stored ? `${counted(stored, "memory was", "memories were")} stored, ${difference(stored, earlier)}.` : "No memory was stored.",
    ...NUMBERS.map(([kind, one, many]) => [sum([kind]), one, many]).filter(([number]) => number).map(([number, one, many]) => `${counted(number, one, many)}.`),
  ];
  return [...found, ...asked(usage, begins)];
}

function asked(usage, begins) {
  const days = usage?.days.filter((day) => day.day >= begins) ?? [];
  const all = (name) => days.reduce((sum, day) => sum + (day[name] ?? 0), 0);
  const [recalls, answered, skipped, degraded, tokens] = ["recalls", "answered", "skipped", "degraded", "llm_tokens"].map(all);
  if (!recalls) return ["Nothing was recalled."];
  const slowest = days.filter((day) => day.p95_ms !== null).sort((one, other) => other.p95_ms - one.p95_ms)[0];
  return [
    `${counted(recalls, "recall")}${recalls > skipped ? `; ${percent(answered / (recalls - skipped))} of those not skipped found something` : ", all skipped"}.`,
    slowest && `The slowest day had a 95th percentile of ${milliseconds(slowest.p95_ms)}.`,
    degraded && `${counted(degraded, "recall", "recalls")} went another way than usual.`,
    tokens && `The language model used ${whole(tokens)} tokens, of all users.`,
  ].filter(Boolean);
}

function difference(now, earlier) {
  if (!earlier) return "none the week before";
  if (now === earlier) return "as many as the week before";
  return `${whole(Math.abs(now - earlier))} ${now > earlier ? "more" : "fewer"} than the week before`;
}

function before(day, days) {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - days);
  return at.toISOString().slice(0, 10);
}
