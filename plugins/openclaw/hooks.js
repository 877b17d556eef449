// Recall before a turn and capture after it. The server decides; a failure never reaches the turn.

import { CortexError } from "./client.js";
import { chatOf, isSharedSession, label } from "./chat.js";
import { SHARED_SESSION } from "./findings.js";
import { ofRun, outgoing } from "./messages.js";

/** @typedef {import("openclaw/plugin-sdk/plugin-entry").OpenClawPluginApi} Api */
/** @typedef {import("./chat.js").HostContext} HostContext */
/** @typedef {{ chat: import("./chat.js").Chat, channel: string, messages: number | undefined, isShared: boolean }} Run */

const STORE_MS = 30_000;
/** The host gives all handlers of a shutdown two seconds. */
const STOP_MS = 1_500;
/** What the server would refuse again. */
const REFUSALS = new Set(["invalid_request", "malformed", "body_too_large", "too_many_keys", "http_413", "http_422"]);
const MOST_RUNS = 1_000;
const MOST_PENDING = 100;
/** How soon a history that could not be stored is sent again. */
const RETRY_MS = 2_000;

export class Turns {
  /** What a run's first hook knew: `agent_end` gets neither the chat nor the sender. @type {Map<string, Run>} */
  #runs = new Map();
  /** The newest history of each session that could not be stored; it has the earlier ones too. @type {Map<string, object>} */
  #pending = new Map();
  /** Whose memory each session was last stored in: its end does not say who spoke. @type {Map<string, import("./chat.js").Chat>} */
  #chats = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  #retry;

  /**
   * @param {{ client: import("./client.js").CortexClient, config: import("./config.js").PluginConfig,
   *   log: import("./log.js").Log, chatTypeOf: (ctx: HostContext) => string | undefined }} parts
   */
  constructor({ client, config, log, chatTypeOf }) {
    this.client = client;
    this.config = config;
    this.log = log;
    this.chatTypeOf = chatTypeOf;
  }

  /** @param {Api} api */
  register(api) {
    const { autoRecall, autoCapture } = this.config;
    if (autoRecall || autoCapture) {
      // Without authority, so that it runs in turns without memory tools too.
      api.on("before_prompt_build", (event, ctx) => void this.#begin(event.messages, ctx));
    }
    if (autoRecall) {
      api.on("before_prompt_build", (event, ctx) => this.#recall(event, ctx), { requiresToolAuthority: true });
    }
    if (autoCapture) {
      api.on("agent_end", (event, ctx) => this.#end(event, ctx));
      api.on("before_reset", (event, ctx) => this.#reset(event, ctx));
      api.on("session_end", (event, ctx) => this.#endSession(event, ctx));
      api.on("gateway_stop", () => this.flush(STOP_MS));
    }
  }

  /** The chat of a tool's call; throws where several people share the session. @param {HostContext} ctx */
  chatOfTool(ctx) {
    const run = this.#runOf(ctx);
    if (run.isShared) throw new Error(SHARED_SESSION);
    return run.chat;
  }

  /** Sends what could not be stored before. @param {number} ms */
  async flush(ms) {
    const waiting = [...this.#pending];
    this.#pending.clear();
    await Promise.all(waiting.map(([, body]) => this.#store(body, ms)));
  }

  /** @param {HostContext} ctx @returns {Run} */
  #runOf(ctx) {
    const chat = chatOf(ctx, this.chatTypeOf);
    const isShared = this.config.perSender && isSharedSession(ctx, chat);
    return { chat, channel: ctx.channel ? label(ctx.channel) : "", messages: undefined, isShared };
  }

  /** @param {unknown} messages @param {HostContext & { runId?: string }} ctx */
  #begin(messages, ctx) {
    if (!ctx.runId) return;
    setNewest(this.#runs, ctx.runId, { ...this.#runOf(ctx), messages: Array.isArray(messages) ? messages.length : undefined });
  }

  /**
   * @param {{ prompt: string, currentUserMessage?: string }} event
   * @param {HostContext & { toolAuthority?: { allows(tool: string): boolean, assertActive(): void } }} ctx
   */
  async #recall(event, ctx) {
    // An empty message means there is no text; only a missing one falls back to the prompt.
    const message = event.currentUserMessage ?? event.prompt;
    if (!message || !ctx.toolAuthority?.allows("memory_recall")) return;
    const run = this.#runOf(ctx);
    if (run.isShared) return this.log.once("shared", SHARED_SESSION);
    try {
      const body = { ...run.chat, session: sessionOf(ctx), message, channel: run.channel, trigger: ctx.trigger ?? "" };
      const answer = await this.client.post("/v1/turns/before", body, { ms: this.config.recallTimeoutMs, repeatable: true });
      ctx.toolAuthority.assertActive();
      if (answer.block) return injected(this.config.inject, answer.block);
    } catch (error) {
      this.log.failure("recall", error, "the turn goes on without memories");
    }
  }

  /** @param {{ messages: unknown[], success: boolean }} event @param {HostContext & { runId?: string }} ctx */
  async #end(event, ctx) {
    const run = (ctx.runId && this.#runs.get(ctx.runId)) || this.#runOf(ctx);
    if (ctx.runId) this.#runs.delete(ctx.runId);
    // A run that failed or was aborted is stored with the next one, if its words stay in the history.
    if (event.success) await this.#capture(event.messages, run, ctx);
  }

  /** @param {{ messages?: unknown[] }} event @param {HostContext} ctx */
  async #reset(event, ctx) {
    // Nobody said who spoke last, so with a memory per sender there is nothing to add to what was stored.
    if (!this.config.perSender) await this.#capture(event.messages, this.#runOf(ctx), ctx, STOP_MS);
  }

  /**
   * The session is over, so its memories are extracted now and not when it has been quiet for a while.
   * @param {{ reason?: string, sessionKey?: string }} event @param {HostContext} ctx
   */
  async #endSession(event, ctx) {
    await this.flush(STOP_MS);
    if (event.reason === "compaction" || event.reason === "restart") return; // it goes on
    const ended = { ...ctx, sessionKey: event.sessionKey ?? ctx.sessionKey };
    const session = sessionOf(ended);
    const chat = this.#chats.get(session) ?? (this.config.perSender ? undefined : this.#runOf(ended).chat);
    if (!chat) return; // nothing of it was stored here
    this.#chats.delete(session);
    try {
      const body = { ...chat, session, messages: [], end: true };
      await this.client.post("/v1/turns/after", body, { ms: STOP_MS, repeatable: true });
    } catch (error) {
      this.log.failure("end of session", error, "its memories are extracted later");
    }
  }

  /** @param {unknown} messages @param {Run} run @param {HostContext} ctx @param {number} [ms] */
  async #capture(messages, run, ctx, ms = STORE_MS) {
    if (run.isShared) return this.log.once("shared", SHARED_SESSION);
    const said = outgoing(this.config.perSender ? ofRun(messages, run.messages) : messages);
    if (!said.length) return;
    const session = sessionOf(ctx);
    setNewest(this.#chats, session, run.chat);
    await this.#store({ ...run.chat, session, messages: said, channel: run.channel, trigger: ctx.trigger ?? "" }, ms);
  }

  /** @param {any} body @param {number} ms */
  async #store(body, ms) {
    const key = JSON.stringify([body.agent, body.chat_id, body.sender, body.session]);
    try {
      const { degraded = [] } = await this.client.post("/v1/turns/after", body, { ms, repeatable: true });
      if (degraded.length) throw new CortexError(degraded[0], "not stored");
      this.#pending.delete(key);
    } catch (error) {
      const isRefused = REFUSALS.has(/** @type {any} */ (error).code);
      if (!isRefused) this.#keep(key, body);
      this.log.failure("capture", error, isRefused ? "this turn is not stored" : "it is stored when the server is back");
    }
  }

  /** @param {string} key @param {object} body */
  #keep(key, body) {
    const before = /** @type {any} */ (this.#pending.get(key));
    // With a memory per sender a body has one run only, so runs add up; else the newest history has all.
    const all = this.config.perSender && before ? { ...body, messages: outgoing([...before.messages, .../** @type {any} */ (body).messages]) } : body;
    this.#pending.delete(key);
    this.#pending.set(key, all);
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > MOST_PENDING && oldest) this.#pending.delete(oldest);
    // The server may come back without a call of this turn's: it may belong to another host.
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      void this.flush(STORE_MS);
    }, RETRY_MS).unref();
  }
}

/** @template T @param {Map<string, T>} map @param {string} key @param {T} value */
function setNewest(map, key, value) {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_RUNS && oldest) map.delete(oldest);
}

/** @param {HostContext} ctx */
function sessionOf(ctx) {
  return label(ctx.sessionKey ?? ctx.sessionId ?? "main");
}

/** @param {"append" | "prepend" | "system"} place @param {string} block */
function injected(place, block) {
  if (place === "system") return { appendSystemContext: block };
  return place === "prepend" ? { prependContext: block } : { appendContext: block };
}
