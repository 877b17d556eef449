// Calls the server. Every call has a deadline; a failure names what failed and never any text.

/** Node's codes of a connection that was refused: the server saw nothing of the request. */
const REFUSED = new Set(["ECONNREFUSED", "ENOENT", "EHOSTUNREACH"]);

export class CortexError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * @typedef {object} CallOptions
 * @property {number} ms The deadline.
 * @property {AbortSignal} [signal]
 * @property {boolean} [repeatable] The server may get the request twice.
 */

export class CortexClient {
  /** @param {import("./server.js").CortexServer} server */
  constructor(server) {
    this.server = server;
  }

  /**
   * @param {string} path
   * @param {object} body
   * @param {CallOptions} options
   * @returns {Promise<any>}
   */
  async post(path, body, options) {
    return this.#call("POST", path, encoded(body), options);
  }

  /**
   * @param {string} path
   * @param {CallOptions} options
   * @returns {Promise<any>}
   */
  async get(path, options) {
    return this.#call("GET", path, undefined, { repeatable: true, ...options });
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string | undefined} body
   * @param {CallOptions} options
   */
  async #call(method, path, body, { ms, signal, repeatable }) {
    const deadline = AbortSignal.timeout(ms);
    const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const address = await this.#address();
    try {
      return await ask(address, method, path, body, either);
    } catch (error) {
      if (signal?.aborted) throw new CortexError("aborted", "the turn was aborted");
      if (deadline.aborted) throw new CortexError("deadline", `no answer in ${ms} ms`);
      const failure = codeOf(error);
      const isNews = failure === "unauthorized" || REFUSED.has(failure) || (repeatable && !(error instanceof CortexError));
      if (!isNews) throw named(error);
      this.server.wake();
      // The server may have been replaced: then the file in the home names another.
      const now = await this.#address();
      const isReplaced = now.url !== address.url || now.token !== address.token;
      if (!isReplaced && !(repeatable && failure !== "unauthorized" && !REFUSED.has(failure))) throw named(error);
      return ask(now, method, path, body, either).catch((again) => {
        throw deadline.aborted ? new CortexError("deadline", `no answer in ${ms} ms`) : named(again);
      });
    }
  }

  async #address() {
    const address = await this.server.address();
    if (address) return address;
    this.server.wake();
    throw new CortexError("no_server", "the memory server does not run; see `openclaw cortex doctor`");
  }
}

/**
 * @param {import("./server.js").Address} address
 * @param {string} method
 * @param {string} path
 * @param {string | undefined} body
 * @param {AbortSignal} signal
 */
async function ask({ url, token }, method, path, body, signal) {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const response = await fetch(url + path, { method, headers, body, signal });
  const text = await response.text();
  const answer = parsed(text);
  if (response.ok && answer) return answer;
  const detail = [answer?.detail, answer?.hint].filter(Boolean).join("; ");
  throw new CortexError(answer?.code || `http_${response.status}`, detail || "the memory server said something unexpected");
}

/** JSON without lone surrogates: they are no characters, and the server refuses them. @param {object} body */
function encoded(body) {
  return JSON.stringify(body, (_, value) => (typeof value === "string" ? value.toWellFormed() : value));
}

/** @param {string} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {any} error */
function codeOf(error) {
  return error instanceof CortexError ? error.code : String(error?.cause?.code ?? error?.name ?? "unexpected");
}

/** @param {unknown} error */
function named(error) {
  return error instanceof CortexError ? error : new CortexError("unreachable", "the memory server does not answer");
}
