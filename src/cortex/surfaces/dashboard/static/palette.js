/** Which of the eight colours of data stands for what, the same in every view. */

export const KINDS = ["fact", "decision", "preference", "rule", "procedure", "entity", "episode", "other"];
export const LANES = ["memories", "sessions", "notes", "docs"];
export const LABELS = ["must_remember", "nice_to_have", "ignore", "unknown"];

const KIND_COLOURS = Object.fromEntries(KINDS.map((kind, at) => [kind, `c${at + 1}`]));
const LABEL_COLOURS = { must_remember: "c1", nice_to_have: "c5", ignore: "c8", unknown: "c2" };
const PART_COLOURS = {
  vector: "c1", keyword: "c2", standing: "c4", rerank: "c5", recency: "c3", importance: "c6", session: "c7",
  speaker: "c3", frequency: "c5", kind: "c4", scope: "c8",
};
const PART_WORDS = {
  vector: "Meaning", keyword: "Words", standing: "Standing rule", rerank: "Second look", recency: "Recent use",
  importance: "Importance", session: "Its conversation", speaker: "Who said it", frequency: "Often used", kind: "Its kind",
  scope: "Its scope", project: "Of this project", only_asks: "Only asks", not_the_user: "Not said by the user", decay: "Age", beyond_one: "Beyond 1",
};
const DROPS = {
  below_floor: "too little in common",
  over_limit: "beyond the limit",
  no_evidence: "no evidence",
  not_relevant: "not about this",
  outside_window: "older than the window",
  asked_for_is_missing: "lacks what was asked for",
  trailing: "far behind the best",
  told_already: "told already",
  no_room: "no room in the budget",
  expired: "expired",
  forgotten: "forgotten",
};

export const kindColour = (kind) => KIND_COLOURS[kind] ?? "c8";
export const labelColour = (label) => LABEL_COLOURS[label] ?? "c8";
export const partColour = (part) => PART_COLOURS[part] ?? "c7";
export const partName = (part) => PART_WORDS[part] ?? words(part);
export const dropName = (reason) => DROPS[reason] ?? String(reason ?? "not chosen").replaceAll("_", " ");

function words(name) {
  const plain = String(name).replaceAll("_", " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
