// Cortex in OpenClaw's memory slot. The plugin holds no policy: it passes on what the host says, and the server decides.

import { Cache, capabilityOf } from "./capability.js";
import { CortexClient } from "./client.js";
import { registerCommands } from "./commands.js";
import { configOf } from "./config.js";
import { findingsOf } from "./findings.js";
import { Turns } from "./hooks.js";
import { Log } from "./log.js";
import { CONTRACT, CortexServer } from "./server.js";
import tools from "./tools.json" with { type: "json" };

const TOOL_MS = 30_000;
const CHECK_MS = 5_000;

/** @typedef {import("openclaw/plugin-sdk/plugin-entry").OpenClawPluginApi} Api */

/** The host calls this several times per process; only in the mode `full` may anything start. @param {Api} api */
export function register(api) {
  const config = configOf(api.pluginConfig);
  const log = new Log(api.logger);
  const server = new CortexServer(config, log);
  const client = new CortexClient(server);
  const cache = new Cache(client, log);
  const turns = new Turns({ client, config, log, chatTypeOf: (ctx) => chatTypeOf(api, ctx) });

  registerTools(api, client, turns);
  registerCommands(api, config);
  api.registerMemoryCapability(
    capabilityOf({
      client,
      cache,
      tools,
      agents: () => agentsOf(api),
      workspaceOf: (agent) => api.runtime?.agent?.resolveAgentWorkspaceDir?.(api.config, agent),
    }),
  );
  turns.register(api);
  if (api.registrationMode === "full") registerServer(api, { config, log, server, client, cache, turns });
}

/** @param {Api} api @param {CortexClient} client @param {Turns} turns */
function registerTools(api, client, turns) {
  for (const tool of tools) {
    api.registerTool(
      (ctx) => {
        if (tool.owner_only && ctx.senderIsOwner !== true) return null;
        return {
          name: tool.name,
          label: tool.title,
          description: tool.description,
          parameters: tool.input_schema,
          catalogMode: "direct-only",
          async execute(_id, params, signal) {
            const { agentId, sessionKey, requesterSenderId: senderId, messageChannel: channel, nativeChannelId: chatId } = ctx;
            const chat = turns.chatOfTool({ agentId, sessionKey, senderId, channel, chatId });
            const body = { ...chat, owner: ctx.senderIsOwner === true, arguments: params ?? {} };
            const answer = await client.post(`/v1/tools/${tool.name}`, body, { ms: TOOL_MS, signal });
            return { content: [{ type: "text", text: answer.text }], details: answer.structured };
          },
        };
      },
      { name: tool.name },
    );
  }
}

/**
 * @param {Api} api
 * @param {{ config: import("./config.js").PluginConfig, log: Log, server: CortexServer, client: CortexClient, cache: Cache, turns: Turns }} parts
 */
function registerServer(api, { config, log, server, client, cache, turns }) {
  api.registerService({
    id: "cortex",
    reload: { configPrefixes: ["plugins.entries.cortex"] },
    async start(ctx) {
      for (const finding of findingsOf(ctx.config, config)) log.once(finding, finding);
      server.onReady = () => {
        ctx.serviceHealth?.clearFailure();
        void turns.flush(CHECK_MS);
        void cache.refreshPlan();
        for (const agent of agentsOf(api)) void cache.warm(agent, CHECK_MS);
        void checkServer(client, config, log);
      };
      server.onFailure = (error) => {
        ctx.serviceHealth?.reportFailure(error);
        log.once(error.message, `${error.message}; turns go on without memory`);
      };
      await server.start();
    },
    async stop() {
      await server.stop();
    },
  });
}

/** A newer or older partner is named with the command that fixes it; turns go on. @param {CortexClient} client @param {import("./config.js").PluginConfig} config @param {Log} log */
async function checkServer(client, config, log) {
  try {
    const { contract } = await client.get("/v1/tools", { ms: CHECK_MS });
    if (contract === CONTRACT) return;
    const fix = contract > CONTRACT ? "run `cortex hosts install openclaw`" : "run `pip install --upgrade memory-cortex`";
    log.once("contract", `the server speaks contract ${contract} and this plugin ${CONTRACT}: ${fix}`);
  } catch (error) {
    log.failure("server", error, "turns go on without memory; see `openclaw cortex doctor`");
  }
}

/** @param {Api} api @param {import("./chat.js").HostContext} ctx */
function chatTypeOf(api, ctx) {
  if (!ctx.sessionKey) return undefined;
  try {
    return api.runtime?.agent?.session?.getSessionEntry?.({ agentId: ctx.agentId, sessionKey: ctx.sessionKey })?.chatType;
  } catch {
    return undefined; // an older or newer host: the shape of the session key decides
  }
}

/** @param {Api} api */
function agentsOf(api) {
  const named = Object.keys(api.config?.agents?.entries ?? {});
  return named.length ? named : ["main"];
}
