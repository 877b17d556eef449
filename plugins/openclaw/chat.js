// What the host says about a turn: whose chat it is, and whether it is a group.

const SHAPE = /^agent:[^:]+:([^:]+):(?:[^:]+:)?(direct|dm|group|channel):(.+)$/;

/**
 * @typedef {object} HostContext
 * @property {string} [agentId]
 * @property {string} [sessionKey]
 * @property {string} [chatId]
 * @property {string} [senderId]
 * @property {string} [channel]
 * @property {string} [trigger]
 */

/**
 * The fields that the server needs to choose a memory.
 * @param {HostContext} ctx
 * @param {(ctx: HostContext) => string | undefined} chatTypeOf
 */
export function chatOf(ctx, chatTypeOf) {
  const [, channel, kind, id] = SHAPE.exec(ctx.sessionKey ?? "") ?? [];
  const type = chatTypeOf(ctx) ?? (kind === "dm" ? "direct" : kind);
  const isShared = type === "group" || type === "channel";
  const chatId = ctx.chatId ?? id;
  return {
    agent: agentName(ctx.agentId),
    ...(isShared ? { chat: type, chat_id: `${ctx.channel ?? channel ?? "chat"}:${chatId ?? ctx.sessionKey}` } : {}),
    ...(ctx.senderId ? { sender: `${ctx.channel ?? channel ?? "chat"}:${ctx.senderId}` } : {}),
  };
}

/**
 * Cortex allows lower case letters, digits, dots, dashes and underscores in the name of an agent.
 * @param {string | undefined} id
 */
export function agentName(id) {
  const name = (id ?? "main").toLowerCase().replace(/[^a-z0-9._-]/g, "-").replace(/^[._-]+/, "").slice(0, 64);
  return name || "main";
}
