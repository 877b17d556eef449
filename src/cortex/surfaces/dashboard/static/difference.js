/** The difference of two texts, word by word. */

const MOST = 600;
const LEAST_SHARED = 0.25;

/**
 * Pieces of both texts in order: `["same"|"gone"|"come", text]`. Very long texts are one change.
 *
 * @returns {[string, string][]}
 */
export function difference(before, after) {
  const [old, now] = [split(before), split(after)];
  if (old.length > MOST || now.length > MOST) return before === after ? [["same", after]] : [["gone", before], ["come", after]];
  const pieces = walked(old, now, lengths(old, now));
  // Texts that share little are shown one after the other: interwoven they are unreadable.
  const kept = pieces.filter(([kind]) => kind === "same").reduce((sum, [, text]) => sum + text.trim().length, 0);
  if (kept < LEAST_SHARED * Math.max(before.length, after.length)) return [["gone", before], ["come", after]];
  return joined(pieces);
}

const split = (text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

/** The length of the longest common subsequence from each pair of positions on. */
function lengths(old, now) {
  const table = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      table[i][j] = old[i] === now[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  return table;
}

function walked(old, now, table) {
  const pieces = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      pieces.push(["same", old[i]]);
      i += 1;
      j += 1;
    } else if (j === now.length || (i < old.length && table[i + 1][j] >= table[i][j + 1])) {
      pieces.push(["gone", old[i]]);
      i += 1;
    } else {
      pieces.push(["come", now[j]]);
      j += 1;
    }
  }
  return pieces;
}

function joined(pieces) {
  const found = [];
  for (const [kind, text] of pieces) {
    if (found.at(-1)?.[0] === kind) found.at(-1)[1] += text;
    else found.push([kind, text]);
  }
  return found;
}
