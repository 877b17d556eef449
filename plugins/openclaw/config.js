// The plugin's settings. The host accepts anything, since it would refuse its whole configuration for one wrong value;
// what is unknown or wrong is reported here, and the default is used.

import { homedir } from "node:os";
import { join } from "node:path";

import settings from "./settings.json" with { type: "json" };

/**
 * @typedef {object} PluginConfig
 * @property {boolean} enabled Recall and capture.
 * @property {string} baseUrl Where a running server listens. Empty: use the server of this home, or start one.
 * @property {string} token A token with the right `host`, for a server at `baseUrl`.
 * @property {string} home Where memory is kept, for a server that the plugin finds or starts.
 * @property {string} command The `cortex` program.
 * @property {boolean} autoRecall Put what is remembered before the model.
 * @property {boolean} autoCapture Store what was said after each turn.
 * @property {number} recallTimeoutMs How long a turn waits for its memories.
 * @property {"append" | "prepend" | "system"} inject Where memories are put.
 * @property {boolean} perSender Each sender of a direct chat has a memory of their own.
 * @property {Record<string, string>} environment What the server needs to know that the plugin starts.
 * @property {string[]} problems What is unknown, wrong or contradictory in the configuration.
 */

/** @typedef {{ name: string, type: string, default: any, choices?: string[], variable?: string, option?: string }} Setting */

const SETTINGS = /** @type {Map<string, Setting>} */ (new Map(settings.map((each) => [each.name, each])));
const SECTIONS = new Set([...SETTINGS.keys()].flatMap((name) => name.split(".").map((_, at, parts) => parts.slice(0, at).join("."))));

/**
 * @param {Record<string, unknown> | undefined} given
 * @returns {PluginConfig}
 */
export function configOf(given) {
  /** @type {string[]} */
  const problems = [];
  const values = read(given ?? {}, problems);
  const value = (/** @type {string} */ name) => values.get(name) ?? SETTINGS.get(name)?.default ?? "";
  if (values.has("autoIngest") && values.has("autoCapture") && values.get("autoIngest") !== values.get("autoCapture")) {
    problems.push("`autoCapture` and `autoIngest` differ: nothing is captured. Remove one of them.");
  }
  if (values.has("home") && values.has("dbPath") && values.get("home") !== values.get("dbPath")) {
    problems.push("`home` and `dbPath` differ: `home` is used. Remove one of them.");
  }
  return {
    enabled: value("enabled"),
    baseUrl: (value("baseUrl") || middleware(values)).replace(/\/+$/, ""),
    token: value("token"),
    home: expanded(value("home") || value("dbPath")) || process.env.CORTEX_HOME || join(homedir(), ".cortex"),
    command: expanded(value("command")),
    autoRecall: value("enabled") && value("autoRecall"),
    autoCapture: value("enabled") && value("autoCapture") && values.get("autoIngest") !== false,
    recallTimeoutMs: value("recallTimeoutMs"),
    inject: value("inject"),
    perSender: value("perSender"),
    environment: environmentOf(values),
    problems,
  };
}

/**
 * The known settings that were given, by name.
 * @param {Record<string, unknown>} given
 * @param {string[]} problems
 */
function read(given, problems) {
  /** @type {Map<string, any>} */
  const values = new Map();
  const walk = (/** @type {Record<string, unknown>} */ section, /** @type {string} */ prefix) => {
    for (const [key, value] of Object.entries(section)) {
      const name = prefix + key;
      const setting = SETTINGS.get(name);
      if (value === undefined || value === null) continue;
      if (SECTIONS.has(name) && typeof value === "object") walk(/** @type {Record<string, unknown>} */ (value), `${name}.`);
      else if (!setting) problems.push(`\`${name.slice(0, 80)}\` is not a setting.`);
      else if (fits(value, setting)) values.set(name, typeof value === "string" ? value.trim() : value);
      else problems.push(`\`${name}\` must be ${expected(setting)}; ${setting.default === null ? "it is ignored" : `${setting.default} is used`}.`);
    }
  };
  walk(given, "");
  return values;
}

/** @param {unknown} value @param {Setting} setting */
function fits(value, { type, choices }) {
  if (choices) return choices.includes(/** @type {string} */ (value));
  if (type === "integer") return Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;
  if (type === "number") return typeof value === "number" && Number.isFinite(value);
  if (type === "array") return Array.isArray(value) && value.every((each) => typeof each === "string");
  return typeof value === type;
}

/** @param {Setting} setting */
function expected({ type, choices }) {
  if (choices) return `one of ${choices.join(", ")}`;
  const words = { integer: "a whole number", number: "a number", boolean: "true or false", array: "a list of texts" };
  return words[/** @type {keyof typeof words} */ (type)] ?? "a text";
}

/** @param {Map<string, any>} values */
function middleware(values) {
  if (!values.has("middlewareHost") && !values.has("middlewarePort")) return "";
  return `http://${values.get("middlewareHost") || "localhost"}:${values.get("middlewarePort") || 8300}`;
}

/**
 * The variables of the engine's settings. Values are written as TOML, which JSON's texts, numbers and lists are too.
 * @param {Map<string, any>} values
 */
function environmentOf(values) {
  /** @type {Record<string, string>} */
  const variables = {};
  /** @type {Record<string, string[]>} */
  const tables = {};
  for (const [name, value] of values) {
    const { variable, option } = /** @type {Setting} */ (SETTINGS.get(name));
    if (!variable) continue;
    if (option) (tables[variable] ??= []).push(`${option} = ${JSON.stringify(value)}`);
    else variables[variable] = typeof value === "string" ? value : JSON.stringify(value);
  }
  for (const [variable, entries] of Object.entries(tables)) variables[variable] = `{ ${entries.join(", ")} }`;
  // memory-lancedb names a model or a key of OpenAI without naming OpenAI.
  if (tables.CORTEX_EMBEDDING__OPTIONS) variables.CORTEX_EMBEDDING__PROVIDER ??= "openai";
  return variables;
}

/** @param {string} path */
function expanded(path) {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}
