// The entry that OpenClaw loads.

import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";

import { register } from "./plugin.js";

export default definePluginEntry({
  id: "cortex",
  name: "Cortex",
  description: "Long-term memory: recalls before each turn, remembers after it.",
  register,
});
