// Finds the Cortex server of this machine, or starts one that ends with this process.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The version of what plugin and server agree on. */
export const CONTRACT = 1;

const START_MS = 120_000;
const HEALTH_MS = 5_000;
const STOP_MS = 1_500;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** A server that ran this long and ended is started again at once. */
const STEADY_MS = 60_000;
const STDERR_CHARS = 4_000;

/** @typedef {{ url: string, token: string }} Address */
/** @typedef {import("node:child_process").ChildProcessByStdio<import("node:stream").Writable, import("node:stream").Readable, import("node:stream").Readable>} Child */

export class CortexServer {
  /** @type {Address | null} */
  #own = null;
  /** @type {Child | null} */
  #child = null;
  /** @type {Promise<void> | null} */
  #starting = null;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #runs = false;
  #failures = 0;
  #startedAt = 0;

  /** Called when a server can be used: at the start, and after it was away. @type {() => void} */
  onReady = () => {};
  /** Called when no server could be started. @type {(error: Error) => void} */
  onFailure = () => {};

  /**
   * @param {import("./config.js").PluginConfig} config
   * @param {{ info(message: string): void, warn(message: string): void }} log
   */
  constructor(config, log) {
    this.config = config;
    this.log = log;
  }

  /**
   * Where the server is, if one is known or announced in the home. It starts nothing.
   * @returns {Promise<Address | null>}
   */
  async address() {
    if (this.config.baseUrl) return { url: this.config.baseUrl, token: this.config.token };
    if (this.#own) return this.#own;
    return announced(this.config.home);
  }

  /** Whether the service runs: it keeps a server running until `stop`. */
  get isRunning() {
    return this.#runs;
  }

  /** Uses the server of the home, or starts one; and starts another whenever that is gone. */
  async start() {
    this.#runs = true;
    await this.#ensure();
  }

  /** Looks for a server again, soon, and starts one if there is none. For a caller that got no connection. */
  wake() {
    if (!this.#runs || this.#timer || this.config.baseUrl) return;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#ensure().catch(() => {});
    }, pause);
    this.#timer.unref();
  }

  /** Stops the server if this plugin started it. That of another host is left alone. */
  async stop() {
    this.#runs = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const child = this.#child;
    this.#child = this.#own = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.stdin.end();
    await Promise.race([ended, pauseOf(STOP_MS)]);
  }

  #ensure() {
    this.#starting ??= this.#startUnlessAnswered().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  async #startUnlessAnswered() {
    try {
      const known = await this.address();
      if (!known || !(await answers(known.url))) {
        if (this.config.baseUrl) throw new Error(`nobody answers at ${this.config.baseUrl}`);
        await this.#spawn();
      }
      this.#failures = 0;
      this.onReady();
    } catch (error) {
      this.#failures += 1;
      this.onFailure(/** @type {Error} */ (error));
      this.wake();
    }
  }

  async #spawn() {
    const token = randomBytes(32).toString("base64url");
    const { command, home, environment } = this.config;
    const child = spawn(command, ["--home", home, "--json", "serve", "--port", "0", "--owned"], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...environment },
    });
    this.#child = child;
    this.#startedAt = Date.now();
    child.stdin.on("error", () => {});
    child.stdin.write(`${token}\n`);
    const { url, pid } = await firstLine(child, command);
    if (this.#child !== child) return; // stopped meanwhile
    const other = await announced(home);
    if (other && other.pid !== pid && (await answers(other.url))) {
      // Another host was quicker; one server is enough.
      this.#child = null;
      child.stdin.end();
      return;
    }
    this.#own = { url, token };
    child.once("exit", (code, signal) => this.#lost(child, code ?? signal));
    this.log.info(`the memory server listens at ${url}`);
  }

  /** @param {Child} child @param {number | string | null} code */
  #lost(child, code) {
    if (this.#child !== child) return;
    this.#child = this.#own = null;
    if (!this.#runs) return;
    this.log.warn(`the memory server ended (${code}) and is started again`);
    if (Date.now() - this.#startedAt > STEADY_MS) this.#failures = 0;
    else this.#failures += 1;
    this.wake();
  }
}

/**
 * The server that is announced in a home.
 * @param {string} home
 * @returns {Promise<Address & { pid: number } | null>}
 */
async function announced(home) {
  try {
    const { url, token, pid } = JSON.parse(await readFile(join(home, "server.json"), "utf8"));
    process.kill(pid, 0);
    return typeof url === "string" ? { url, token: token ?? "", pid } : null;
  } catch (error) {
    return null;
  }
}

/**
 * Whether a server is there. One that is only slow is there too.
 * @param {string} url
 */
async function answers(url) {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_MS) });
    await response.body?.cancel();
    return true;
  } catch (error) {
    return error instanceof Error && error.name === "TimeoutError";
  }
}

/**
 * @param {Child} child
 * @param {string} command
 * @returns {Promise<{ url: string, pid: number }>}
 */
function firstLine(child, command) {
  return new Promise((resolve, reject) => {
    let said = "";
    let complained = "";
    const late = setTimeout(() => fail(new Error("the memory server did not start in time")), START_MS);
    const fail = (/** @type {Error} */ error) => {
      clearTimeout(late);
      child.stdin.end();
      reject(error);
    };
    child.once("error", (/** @type {NodeJS.ErrnoException} */ error) => {
      fail(new Error(error.code === "ENOENT" ? `there is no program ${command}; set \`command\` to its path` : error.message));
    });
    child.once("close", (code) => fail(new Error(reasonOf(complained) ?? `the memory server ended with code ${code}`)));
    child.stderr.on("data", (piece) => {
      complained = (complained + piece).slice(-STDERR_CHARS);
    });
    child.stdout.on("data", (piece) => {
      if (said.includes("\n")) return;
      said += piece;
      const end = said.indexOf("\n");
      if (end < 0) return;
      clearTimeout(late);
      try {
        resolve(JSON.parse(said.slice(0, end)));
      } catch {
        fail(new Error("the memory server said something unexpected"));
      }
    });
  });
}

/**
 * The message of an error that `cortex --json` printed.
 * @param {string} stderr
 */
function reasonOf(stderr) {
  try {
    const { error } = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
    return `${error.message}${error.hint ? `; ${error.hint}` : ""}`;
  } catch {
    return undefined;
  }
}

/** @param {number} ms */
function pauseOf(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
