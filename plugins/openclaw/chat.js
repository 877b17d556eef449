// What the host says about a turn: whose chat it is, and whether it is a group.

import { createHash } from "node:crypto";

const SHAPE = /^agent:[^:]+:(?:([^:]+):)?(?:[^:]+:)?(direct|dm|group|channel):(.+)$/;
const LONGEST_LABEL = 200;
/** What a host appends to the key of a chat for a thread or topic in it. */
const THREAD = /:(?:thread|topic):.*$/;
/** Keys of sessions without other people in them. */
const OWN_SESSION = /^agent:[^:]+:(?:main|openai|openai-user|openresponses|openresponses-user|explicit|dashboard|webchat|tui|hook|cron|subagent|acp|node)(?::|$)/;

/**
 * @typedef {object} HostContext
 * @property {string} [agentId]
 * @property {string} [sessionKey]
 * @property {string} [sessionId]
 * @property {string} [chatId]
 * @property {string} [senderId]
 * @property {string} [channel]
 * @property {string} [trigger]
 */

/**
 * @typedef {object} Chat What the server needs to choose a memory.
 * @property {string} agent
 * @property {"group" | "channel"} [chat]
 * @property {string} [chat_id]
 * @property {string} [sender]
 */

/**
 * @param {HostContext} ctx
 * @param {(ctx: HostContext) => string | undefined} chatTypeOf
 * @returns {Chat}
 */
export function chatOf(ctx, chatTypeOf) {
  const [, channelOfKey, kind, rest] = SHAPE.exec(ctx.sessionKey ?? "") ?? [];
  const channel = channelOfKey ?? ctx.channel ?? "chat";
  const type = kind === "dm" ? "direct" : (kind ?? chatTypeOf(ctx) ?? guessed(ctx));
  const isShared = type === "group" || type === "channel";
  // Hooks and tools know different ids of a chat; they share the session key.
  const chatId = kind ? `${channel}:${rest.replace(THREAD, "")}` : (ctx.sessionKey ?? `${channel}:${ctx.chatId}`);
  return {
    agent: agentName(ctx.agentId),
    ...(isShared ? { chat: type, chat_id: label(chatId) } : {}),
    ...(ctx.senderId ? { sender: label(`${channel}:${ctx.senderId}`) } : {}),
  };
}

/**
 * Whether several people's direct chats are one session, so that its history has the words of all of them.
 * @param {HostContext} ctx
 * @param {Chat} chat
 */
export function isSharedSession(ctx, chat) {
  return Boolean(chat.sender) && !chat.chat && !SHAPE.test(ctx.sessionKey ?? "");
}

/** A session of unknown shape where somebody else speaks is treated as a group: it has a memory of its own. @param {HostContext} ctx */
function guessed(ctx) {
  return ctx.senderId && ctx.sessionKey && !OWN_SESSION.test(ctx.sessionKey) ? "group" : "direct";
}

/**
 * A name as the engine accepts it: printable, and not too long. Different names stay different.
 * @param {string} text
 */
export function label(text) {
  const printable = text.toWellFormed().replace(/(?! )[\p{C}\p{Z}]/gu, "?").trim();
  if (printable === text && text && text.length <= LONGEST_LABEL) return text;
  return `${printable.slice(0, LONGEST_LABEL / 2)}#${createHash("sha256").update(text).digest("hex")}`;
}

/**
 * Cortex allows lower case letters, digits, dots, dashes and underscores in the name of an agent.
 * @param {string | undefined} id
 */
export function agentName(id) {
  const name = (id ?? "main").toLowerCase().replace(/[^a-z0-9._-]/g, "-").replace(/^[._-]+/, "").slice(0, 64);
  return name || "main";
}
