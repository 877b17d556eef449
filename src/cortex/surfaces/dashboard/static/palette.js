/** The colors and names of data, the same in every view. */

export const KINDS = ["fact", "decision", "preference", "rule", "procedure", "entity", "episode", "other"];
export const LANES = ["memories", "sessions", "notes", "docs"];
const LANE_NAMES = { memories: "Memories", sessions: "Turns", notes: "Notes", docs: "Documents", outcomes: "Outcomes" };
export const LABELS = ["must_remember", "nice_to_have", "ignore", "unknown"];

const KIND_COLORS = Object.fromEntries(KINDS.map((kind, at) => [kind, `c${at + 1}`]));
const LABEL_COLORS = { must_remember: "c1", nice_to_have: "c5", ignore: "c8", unknown: "c2" };
const PART_COLORS = {
  vector: "c1", keyword: "c2", standing: "c4", rerank: "c5", recency: "c3", importance: "c6", session: "c7",
  speaker: "c3", reply: "c4", frequency: "c5", kind: "c4", scope: "c8",
};
const PART_WORDS = {
  vector: "Meaning", keyword: "Keywords", standing: "Standing rule", rerank: "Reranker", recency: "Recency",
  importance: "Importance", session: "Conversation", speaker: "Speaker", frequency: "Frequency of use", kind: "Kind",
  scope: "Scope", project: "Project", only_asks: "Only a question", not_the_user: "Not said by the user", decay: "Age", beyond_one: "Capped at 1",
};
const DROPS = {
  below_floor: "score too low",
  over_limit: "over the limit",
  no_evidence: "no evidence",
  not_relevant: "not relevant",
  outside_window: "outside the time window",
  answer_missing: "does not answer the question",
  trailing: "far below the best hit",
  duplicate: "duplicate of a hit",
  over_budget: "over the token budget",
  acknowledgement: "only an acknowledgement",
  expired: "expired",
  forgotten: "forgotten",
};

export const laneName = (lane) => LANE_NAMES[lane] ?? lane;
export const kindColor = (kind) => KIND_COLORS[kind] ?? "c8";
export const labelColor = (label) => LABEL_COLORS[label] ?? "c8";
export const partColor = (part) => PART_COLORS[part] ?? "c7";
export const partName = (part) => PART_WORDS[part] ?? words(part);
export const dropName = (reason) => DROPS[reason] ?? String(reason ?? "not selected").replaceAll("_", " ");

function words(name) {
  const plain = String(name).replaceAll("_", " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
