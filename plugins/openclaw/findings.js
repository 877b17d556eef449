// What in the host's configuration keeps memory from working, with the setting that fixes it.

/** @typedef {import("openclaw/plugin-sdk/plugin-entry").OpenClawConfig} OpenClawConfig */

/**
 * @param {OpenClawConfig | undefined} host
 * @param {import("./config.js").PluginConfig} config
 * @returns {string[]}
 */
export function findingsOf(host, config) {
  const hooks = host?.plugins?.entries?.cortex?.hooks;
  const slot = host?.plugins?.slots?.memory;
  const findings = config.problems.map((problem) => `plugins.entries.cortex.config: ${problem}`);
  if ((config.autoRecall || config.autoCapture) && hooks?.allowConversationAccess !== true) {
    findings.push("OpenClaw blocks recall and capture: set plugins.entries.cortex.hooks.allowConversationAccess to true, or run `cortex hosts install openclaw`");
  }
  if (config.autoRecall && hooks?.allowPromptInjection === false) {
    findings.push("OpenClaw blocks recall: remove plugins.entries.cortex.hooks.allowPromptInjection");
  }
  if (slot !== "cortex") {
    findings.push(`the memory slot belongs to ${slot ?? "memory-core"}: set plugins.slots.memory to "cortex"`);
  }
  if (config.perSender && (host?.session?.dmScope ?? "main") === "main") {
    findings.push(SHARED_SESSION);
  }
  return findings;
}

export const SHARED_SESSION =
  'several people share one session, so memory per sender is off there: set session.dmScope to "per-channel-peer", or perSender to false';
