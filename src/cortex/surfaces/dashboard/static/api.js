/** The HTTP routes, as this page calls them. */

const TOKEN = "cortex.token";
const ACTING = "cortex.acting";
const PATIENCE = 35_000;
/** For what goes through the memory of all users, and through backups. */
export const LONG = 600_000;

/** What to say where there is no server. */
export const UNREACHABLE = { detail: "The server cannot be reached.", hint: "Is `cortex serve` still running?" };

/** Why a request failed, in words for a person. */
export class Problem extends Error {
  constructor({ status = 0, code = "unreachable", detail = "", hint = "", field = null, requestId = "" }) {
    super(detail);
    Object.assign(this, { status, code, detail, hint, field, requestId });
  }

  /** From an unsuccessful response, whatever its body. */
  static async of(response) {
    let payload = {};
    try {
      payload = await response.json();
    } catch {
      // A proxy may answer with its own page.
    }
    return new Problem({
      status: response.status,
      code: payload.code ?? `http_${response.status}`,
      detail: payload.detail ?? `The server responded with status ${response.status}.`,
      hint: payload.hint ?? "",
      field: payload.field ?? null,
      requestId: payload.request_id ?? response.headers.get("X-Request-ID") ?? "",
    });
  }
}

/** A value kept while the tab is open, or the page where session storage is not available. */
class SessionValue {
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
      // Kept in the page only.
    }
  }
}

/** Calls the routes as the signed-in caller, for the chosen agent and user. */
export class Api extends EventTarget {
  #token = new SessionValue(TOKEN);
  #acting = new SessionValue(ACTING);

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

  /** The tenant, if it is not the caller's own: `{agent?, user?}`. */
  get acting() {
    return this.#acting.get() ?? {};
  }

  actFor({ agent, user } = {}) {
    const tenant = Object.fromEntries(Object.entries({ agent, user }).filter(([, value]) => value));
    this.#acting.set(Object.keys(tenant).length ? tenant : null);
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

  delete(path, query = {}, options = {}) {
    return this.#call("DELETE", path, { query: { ...query, ...this.acting }, ...options });
  }

  /** A streaming response, once it has started. */
  async stream(path, signal) {
    const response = await this.#fetch("GET", path, { query: this.acting, signal });
    if (!response.ok) throw await this.#failed(response);
    return response;
  }

  async #call(method, path, { query, body, headers, signal, withTag = false, patience = PATIENCE } = {}) {
    const late = AbortSignal.timeout(patience);
    const response = await this.#fetch(method, path, {
      query, body, headers, signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    if (!response.ok) throw await this.#failed(response);
    const answer = await response.json();
    return withTag ? [answer, response.headers.get("ETag")] : answer;
  }

  async #fetch(method, path, { query, body, headers, signal }) {
    const fields = { Accept: "application/json", ...headers };
    if (body !== undefined) fields["Content-Type"] = "application/json";
    if (this.#token.get()) fields.Authorization = `Bearer ${this.#token.get()}`;
    try {
      return await fetch(path + queryString(query), {
        method, headers: fields, signal, body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "omit", cache: "no-store", redirect: "error",
      });
    } catch (error) {
      if (signal?.aborted && signal.reason?.name !== "TimeoutError") throw error;
      throw new Problem(
        signal?.aborted
          ? { code: "timeout", detail: "The server took too long to answer.", hint: "Try again. If it keeps happening, see Health." }
          : UNREACHABLE,
      );
    }
  }

  async #failed(response) {
    const problem = await Problem.of(response);
    if (problem.status === 401) this.dispatchEvent(new CustomEvent("unauthorized", { detail: problem }));
    return problem;
  }
}

/** Whether a request was only canceled. */
export const isAbort = (error) => error?.name === "AbortError";

function queryString(query = {}) {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined && each !== null && each !== "") fields.append(name, each);
  }
  const text = fields.toString();
  return text ? `?${text}` : "";
}
