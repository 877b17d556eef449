// Calls the server. Every call has a deadline; a failure names what failed and never any text.

export class CortexError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export class CortexClient {
  /** @param {import("./server.js").CortexServer} server */
  constructor(server) {
    this.server = server;
  }

  /**
   * @param {string} path
   * @param {object} body
   * @param {{ ms: number, signal?: AbortSignal }} options
   * @returns {Promise<any>}
   */
  async post(path, body, options) {
    return this.#call("POST", path, body, options);
  }

  /**
   * @param {string} path
   * @param {{ ms: number, signal?: AbortSignal }} options
   * @returns {Promise<any>}
   */
  async get(path, options) {
    return this.#call("GET", path, undefined, options);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object | undefined} body
   * @param {{ ms: number, signal?: AbortSignal }} options
   */
  async #call(method, path, body, { ms, signal }) {
    const address = await this.server.address();
    if (!address) throw new CortexError("no_server", "the memory server does not run; see `openclaw cortex doctor`");
    const headers = { "content-type": "application/json", ...(address.token && { authorization: `Bearer ${address.token}` }) };
    const deadline = AbortSignal.timeout(ms);
    let response;
    try {
      response = await fetch(address.url + path, {
        method,
        headers,
        body: body && JSON.stringify(body),
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      });
    } catch (error) {
      this.server.forget();
      const late = error instanceof Error && error.name === "TimeoutError";
      throw new CortexError(late ? "deadline" : "unreachable", late ? `no answer in ${ms} ms` : "the memory server does not answer");
    }
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    throw new CortexError(answer.code || `http_${response.status}`, [answer.detail, answer.hint].filter(Boolean).join("; "));
  }
}
