// A session's history as it is sent to the server: what was said, without images and other data that is not text.

const MOST_CHARS = 6_000_000;
const LONGEST_MESSAGE = 1_000_000;
const LONGEST_TOOL_RESULT = 100_000;
const TEXT_PARTS = new Set(["text", "input_text", "output_text"]);
const LONGEST_NAME = 64;

/**
 * The newest messages that fit into a request. The server knows the older ones from the turns before.
 * @param {unknown} messages
 */
export function outgoing(messages) {
  const kept = [];
  let chars = 0;
  for (const message of Array.isArray(messages) ? messages.toReversed() : []) {
    const said = withoutData(message);
    if (!said) continue;
    chars += JSON.stringify(said).length;
    if (chars > MOST_CHARS && kept.length) break;
    kept.push(said);
  }
  return kept.reverse();
}

/**
 * What belongs to one run: its user's message and all after it.
 * @param {unknown} messages
 * @param {number | undefined} before How many messages there were when the run began.
 */
export function ofRun(messages, before) {
  if (!Array.isArray(messages)) return [];
  const isUser = (/** @type {any} */ message) => message?.role === "user";
  if (before !== undefined && isUser(messages[before])) return messages.slice(before);
  const last = messages.findLastIndex(isUser);
  return last < 0 ? [] : messages.slice(last);
}

/** @param {any} message */
function withoutData(message) {
  if (!message || typeof message !== "object" || typeof message.role !== "string") return null;
  const { role, content, timestamp } = message;
  const most = role === "user" || role === "assistant" ? LONGEST_MESSAGE : LONGEST_TOOL_RESULT;
  return { role: role.slice(0, LONGEST_NAME), content: contentOf(content, most), ...(isTime(timestamp) ? { timestamp } : {}) };
}

/** @param {unknown} content @param {number} most */
function contentOf(content, most) {
  if (typeof content === "string") return content.slice(0, most);
  if (!Array.isArray(content)) return "";
  let left = most;
  return content.flatMap((part) => {
    if (typeof part === "string") part = { type: "text", text: part };
    if (typeof part?.type !== "string") return [];
    const type = part.type.slice(0, LONGEST_NAME);
    if (typeof part.text !== "string" || !TEXT_PARTS.has(type)) return [{ type }];
    const text = part.text.slice(0, left);
    left -= text.length;
    return [{ type, text }];
  });
}

/** @param {unknown} value */
function isTime(value) {
  return typeof value === "string" ? value.length <= LONGEST_NAME : Number.isFinite(value);
}
