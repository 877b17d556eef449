// Cortex in OpenClaw's memory slot. The plugin holds no policy: it passes on what the host says, and the server decides.

import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";

import { chatOf } from "./chat.js";
import { CortexClient, CortexError } from "./client.js";
import { capabilityOf } from "./capability.js";
import { configOf } from "./config.js";
import { CONTRACT, CortexServer } from "./server.js";
import tools from "./tools.json" with { type: "json" };

const TOOL_MS = 30_000;
const STORE_MS = 5_000;
const LONGEST_RUNS = 1_000;

export default definePluginEntry({
  id: "cortex",
  name: "Cortex",
  description: "Long-term memory: recalls before each turn, remembers after it.",
  register(api) {
    const config = configOf(api.pluginConfig);
    const log = logOf(api.logger);
    const server = new CortexServer(config, log);
    const client = new CortexClient(server);
    /** What `before_prompt_build` knew of a run: `agent_end` gets neither the chat nor the sender. */
    const runs = new Map();

    const chatTypeOf = (/** @type {import("./chat.js").HostContext} */ ctx) => {
      if (!ctx.sessionKey) return undefined;
      try {
        return api.runtime?.agent?.session?.getSessionEntry?.({ agentId: ctx.agentId, sessionKey: ctx.sessionKey })?.chatType;
      } catch {
        return undefined; // an older or newer host: the shape of the session key decides
      }
    };
    const where = (/** @type {any} */ ctx) => chatOf(ctx, chatTypeOf);

    for (const tool of tools) {
      api.registerTool(
        (ctx) => {
          if (tool.owner_only && ctx.senderIsOwner === false) return null;
          return {
            name: tool.name,
            label: tool.title,
            description: tool.description,
            parameters: tool.input_schema,
            catalogMode: "direct-only",
            async execute(_id, params, signal) {
              const body = {
                ...where({ ...ctx, chatId: ctx.nativeChannelId, senderId: ctx.requesterSenderId, channel: ctx.messageChannel }),
                owner: ctx.senderIsOwner !== false,
                arguments: params ?? {},
              };
              const answer = await client.post(`/v1/tools/${tool.name}`, body, { ms: TOOL_MS, signal });
              return { content: [{ type: "text", text: answer.text }], details: answer.structured };
            },
          };
        },
        { name: tool.name },
      );
    }

    api.registerMemoryCapability(capabilityOf({ client, config, log, tools }));

    if (config.autoRecall) {
      api.on(
        "before_prompt_build",
        async (event, ctx) => {
          if (ctx.runId) remember(runs, ctx.runId, where(ctx));
          // An empty message means there is no text; only a missing one falls back to the prompt.
          const message = event.currentUserMessage ?? event.prompt;
          if (!message || !ctx.toolAuthority?.allows("memory_recall")) return;
          try {
            const body = {
              ...where(ctx),
              session: ctx.sessionKey ?? ctx.sessionId ?? "main",
              message,
              channel: ctx.channel ?? "",
              trigger: ctx.trigger ?? "",
            };
            const answer = await client.post("/v1/turns/before", body, { ms: config.recallTimeoutMs });
            ctx.toolAuthority.assertActive();
            if (answer.block) return injected(config.inject, answer.block);
          } catch (error) {
            log.warn(`recall: ${codeOf(error)}; the turn goes on without memories`);
          }
        },
        { requiresToolAuthority: true },
      );
    }

    if (config.autoCapture) {
      api.on("agent_end", async (event, ctx) => {
        if (!event.success) return;
        const chat = (ctx.runId && runs.get(ctx.runId)) || where(ctx);
        if (ctx.runId) runs.delete(ctx.runId);
        await store(event.messages, ctx, chat);
      });
      api.on("before_reset", async (event, ctx) => {
        if (event.messages?.length) await store(event.messages, ctx, where(ctx));
      });
    }

    const store = async (/** @type {unknown[]} */ messages, /** @type {any} */ ctx, /** @type {object} */ chat) => {
      try {
        const body = { ...chat, session: ctx.sessionKey ?? ctx.sessionId ?? "main", messages, trigger: ctx.trigger ?? "" };
        await client.post("/v1/turns/after", body, { ms: STORE_MS });
      } catch (error) {
        log.warn(`capture: ${codeOf(error)}; the next turn stores this one too`);
      }
    };

    if (api.registrationMode === "full") {
      api.registerService({
        id: "cortex",
        reload: { configPrefixes: ["plugins.entries.cortex"] },
        async start(ctx) {
          try {
            await server.start();
            await checkContract(client, log);
            ctx.serviceHealth?.clearFailure();
          } catch (error) {
            ctx.serviceHealth?.reportFailure(error);
            log.warn(`the memory server: ${codeOf(error)}`);
          }
        },
        stop() {
          server.stop();
        },
      });
    }
  },
});

/** @param {CortexClient} client @param {{ warn(message: string): void }} log */
async function checkContract(client, log) {
  const { contract } = await client.get("/v1/tools", { ms: STORE_MS });
  if (contract === CONTRACT) return;
  const fix = contract > CONTRACT ? "run `cortex openclaw install`" : "run `pip install --upgrade memory-cortex`";
  log.warn(`the server speaks contract ${contract} and this plugin ${CONTRACT}: ${fix}`);
}

/** @param {"append" | "prepend" | "system"} place @param {string} block */
function injected(place, block) {
  if (place === "system") return { appendSystemContext: block };
  return place === "prepend" ? { prependContext: block } : { appendContext: block };
}

/** @param {Map<string, object>} runs @param {string} run @param {object} chat */
function remember(runs, run, chat) {
  runs.set(run, chat);
  if (runs.size > LONGEST_RUNS) runs.delete([...runs.keys()][0]);
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof CortexError ? error.code : error instanceof Error ? error.name : "unexpected";
}

/** @param {any} logger */
function logOf(logger) {
  return {
    info: (/** @type {string} */ message) => logger?.info?.(`cortex: ${message}`),
    warn: (/** @type {string} */ message) => logger?.warn?.(`cortex: ${message}`),
  };
}
