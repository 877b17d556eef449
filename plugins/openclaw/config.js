// The plugin's settings. Every field is optional: the host refuses its whole configuration for one missing field.

import { homedir } from "node:os";
import { join } from "node:path";

/**
 * @typedef {object} PluginConfig
 * @property {string} baseUrl Where a running server listens. Empty: use the server of this home, or start one.
 * @property {string} token A token with the right `host`, for a server at `baseUrl`.
 * @property {string} home Where memory is kept, for a server that the plugin finds or starts.
 * @property {string} command The `cortex` program.
 * @property {boolean} autoRecall Put what is remembered before the model.
 * @property {boolean} autoCapture Store what was said after each turn.
 * @property {number} recallTimeoutMs How long a turn waits for its memories.
 * @property {"append" | "prepend" | "system"} inject Where memories are put.
 */

/**
 * @param {Record<string, unknown> | undefined} given
 * @returns {PluginConfig}
 */
export function configOf(given = {}) {
  return {
    baseUrl: text(given.baseUrl, "").replace(/\/+$/, ""),
    token: text(given.token, ""),
    home: text(given.home, process.env.CORTEX_HOME || join(homedir(), ".cortex")),
    command: text(given.command, "cortex"),
    autoRecall: given.autoRecall !== false,
    autoCapture: given.autoCapture !== false,
    recallTimeoutMs: typeof given.recallTimeoutMs === "number" ? given.recallTimeoutMs : 200,
    inject: given.inject === "prepend" || given.inject === "system" ? given.inject : "append",
  };
}

/** @param {unknown} value @param {string} fallback */
function text(value, fallback) {
  return typeof value === "string" && value.trim() ? value.trim() : fallback;
}
