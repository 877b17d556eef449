// Log lines name what failed and never any text; the same failure is not repeated for every turn.

const QUIET_MS = 60_000;

export class Log {
  /** @type {Map<string, number>} */
  #logged = new Map();

  /** @param {any} logger */
  constructor(logger) {
    this.logger = logger;
  }

  /** @param {string} message */
  info(message) {
    this.logger?.info?.(`cortex: ${message}`);
  }

  /** @param {string} message */
  warn(message) {
    this.logger?.warn?.(`cortex: ${message}`);
  }

  /** Warns once while this plugin runs. @param {string} key @param {string} message */
  once(key, message) {
    if (!this.#logged.has(key)) this.warn(message);
    this.#logged.set(key, Infinity);
  }

  /** @param {string} what @param {any} error @param {string} consequence */
  failure(what, error, consequence) {
    const code = typeof error?.code === "string" ? error.code : (error?.name ?? "unexpected");
    const key = `${what}:${code}`;
    if (Date.now() - (this.#logged.get(key) ?? -QUIET_MS) < QUIET_MS) return;
    this.#logged.set(key, Date.now());
    this.warn(`${what}: ${code}; ${consequence}`);
  }
}
