/** The HTTP routes, as this page calls them. */

const TOKEN = "cortex.token";
const ACTING = "cortex.acting";
const PATIENCE = 35_000;

/** What a request failed by, in words for a person. */
export class Problem extends Error {
  constructor({ status = 0, code = "unreachable", detail = "", hint = "", field = null, requestId = "" }) {
    super(detail);
    Object.assign(this, { status, code, detail, hint, field, requestId });
  }

  /** From an answer that is no success; whatever stands in it, a sentence comes out. */
  static async of(response) {
    let told = {};
    try {
      told = await response.json();
    } catch {
      // A proxy may answer with a page of its own.
    }
    return new Problem({
      status: response.status,
      code: told.code ?? `http_${response.status}`,
      detail: told.detail ?? `The server answered ${response.status}.`,
      hint: told.hint ?? "",
      field: told.field ?? null,
      requestId: told.request_id ?? response.headers.get("X-Request-ID") ?? "",
    });
  }
}

/** Something kept for as long as the tab is open; where that is not possible, as long as the page. */
class Kept {
  #name;
  #value;

  constructor(name) {
    this.#name = name;
    try {
      this.#value = JSON.parse(sessionStorage.getItem(name));
    } catch {
      this.#value = null;
    }
  }

  get() {
    return this.#value;
  }

  set(value) {
    this.#value = value ?? null;
    try {
      if (value === null || value === undefined) sessionStorage.removeItem(this.#name);
      else sessionStorage.setItem(this.#name, JSON.stringify(value));
    } catch {
      // Kept in the page alone.
    }
  }
}

/** Calls the routes, as whoever signed in and for whom they act. */
export class Api extends EventTarget {
  #token = new Kept(TOKEN);
  #acting = new Kept(ACTING);

  get isSignedIn() {
    return this.#token.get() !== null;
  }

  signIn(token) {
    this.#token.set(token);
    this.#acting.set(null);
  }

  signOut() {
    this.#token.set(null);
    this.#acting.set(null);
  }

  /** Whose memory is meant where it is not the caller's own: `{agent?, user?}`. */
  get acting() {
    return this.#acting.get() ?? {};
  }

  actFor({ agent, user } = {}) {
    const whom = Object.fromEntries(Object.entries({ agent, user }).filter(([, value]) => value));
    this.#acting.set(Object.keys(whom).length ? whom : null);
  }

  get(path, query = {}, options = {}) {
    return this.#call("GET", path, { query: { ...query, ...this.acting }, ...options });
  }

  post(path, body = {}, options = {}) {
    return this.#call("POST", path, { body: { ...body, ...this.acting }, ...options });
  }

  patch(path, body, options = {}) {
    return this.#call("PATCH", path, { body: { ...body, ...this.acting }, ...options });
  }

  delete(path, options = {}) {
    return this.#call("DELETE", path, { query: this.acting, ...options });
  }

  /** An answer that goes on: the response itself, once it began. */
  async stream(path, signal) {
    const response = await this.#fetch("GET", path, { query: this.acting, signal });
    if (!response.ok) throw await this.#failed(response);
    return response;
  }

  async #call(method, path, { query, body, headers, signal, withTag = false } = {}) {
    const late = AbortSignal.timeout(PATIENCE);
    const response = await this.#fetch(method, path, {
      query, body, headers, signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    if (!response.ok) throw await this.#failed(response);
    const answer = await response.json();
    return withTag ? [answer, response.headers.get("ETag")] : answer;
  }

  async #fetch(method, path, { query, body, headers, signal }) {
    const told = { Accept: "application/json", ...headers };
    if (body !== undefined) told["Content-Type"] = "application/json";
    if (this.#token.get()) told.Authorization = `Bearer ${this.#token.get()}`;
    try {
      return await fetch(path + asked(query), {
        method, headers: told, signal, body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "omit", cache: "no-store", redirect: "error",
      });
    } catch (error) {
      if (signal?.aborted && signal.reason?.name !== "TimeoutError") throw error;
      throw new Problem(
        signal?.aborted
          ? { code: "timeout", detail: "The server took too long to answer.", hint: "Try again; see Health if it stays so." }
          : { detail: "The server cannot be reached.", hint: "Is `cortex serve` still running?" },
      );
    }
  }

  async #failed(response) {
    const problem = await Problem.of(response);
    if (problem.status === 401) this.dispatchEvent(new CustomEvent("unauthorized", { detail: problem }));
    return problem;
  }
}

/** Whether a request merely ended because nobody waits for it any more. */
export const isAbort = (error) => error?.name === "AbortError";

function asked(query = {}) {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined && each !== null && each !== "") fields.append(name, each);
  }
  const text = fields.toString();
  return text ? `?${text}` : "";
}
