// Finds the Cortex server of this machine, or starts one that ends with this process.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The version of what plugin and server agree on. */
export const CONTRACT = 1;

const START_MS = 60_000;

/** @typedef {{ url: string, token: string }} Address */

export class CortexServer {
  /** @type {Address | null} */
  #address = null;
  /** @type {import("node:child_process").ChildProcess | null} */
  #child = null;

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
    if (this.#address) return this.#address;
    const found = await announced(this.config.home);
    return found ? { url: found.url, token: this.config.token } : null;
  }

  /** Starts a server unless one runs already. */
  async start() {
    if (await this.address()) return;
    const token = randomBytes(32).toString("base64url");
    const child = spawn(this.config.command, ["--home", this.config.home, "--json", "serve", "--port", "0", "--owned"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child = child;
    child.stdin.on("error", () => {});
    child.stdin.write(`${token}\n`);
    const url = await firstLine(child);
    this.#address = { url, token };
    child.once("exit", () => {
      this.#address = null;
    });
    this.log.info(`the memory server listens at ${url}`);
  }

  /** Stops the server if this plugin started it. */
  stop() {
    this.#child?.stdin?.end();
    this.#child = null;
    this.#address = null;
  }

  /** Forgets an address that did not answer, so that the next call looks again. */
  forget() {
    if (!this.#child) this.#address = null;
  }
}

/**
 * @param {string} home
 * @returns {Promise<{ url: string, pid: number, version: string, contract: number } | null>}
 */
async function announced(home) {
  try {
    const info = JSON.parse(await readFile(join(home, "server.json"), "utf8"));
    process.kill(info.pid, 0);
    return info;
  } catch {
    return null;
  }
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @returns {Promise<string>}
 */
function firstLine(child) {
  return new Promise((resolve, reject) => {
    let seen = "";
    const late = setTimeout(() => reject(new Error("the memory server did not start in 60 s")), START_MS);
    const fail = (/** @type {Error | number | null} */ reason) => {
      clearTimeout(late);
      reject(reason instanceof Error ? reason : new Error(`the memory server ended with code ${reason}`));
    };
    child.once("error", fail);
    child.once("exit", fail);
    child.stdout?.on("data", (piece) => {
      seen += piece;
      const found = /"url":\s*"([^"]+)"/.exec(seen);
      if (!found) return;
      clearTimeout(late);
      child.off("exit", fail);
      resolve(found[1]);
    });
  });
}
