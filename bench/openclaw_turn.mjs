// Runs the plugin's recall hook as OpenClaw does, and prints how long it took.

import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

import { CortexClient } from "../plugins/openclaw/client.js";
import { configOf } from "../plugins/openclaw/config.js";
import { Turns } from "../plugins/openclaw/hooks.js";
import { Log } from "../plugins/openclaw/log.js";
import { CortexServer } from "../plugins/openclaw/server.js";

/** A model answers between two turns, and takes longer than this. */
const PAUSE_MS = 200;
const [home, file] = process.argv.slice(2);
const questions = JSON.parse(readFileSync(file, "utf8"));
const config = configOf({ home });
let missed = 0;
const log = new Log({ info() {}, warn() {} });
const server = new CortexServer(config, log);
const turns = new Turns({ client: new CortexClient(server), config, log, chatTypeOf: () => undefined });
let recall;
turns.register({ on: (name, handler, options) => (recall = options?.requiresToolAuthority ? handler : recall) });
log.failure = () => (missed += 1);

const ctx = (at) => ({ agentId: "main", sessionKey: `agent:main:bench-${at}`, toolAuthority: { allows: () => true, assertActive() {} } });
await server.start();
for (const at of [1, 2, 3, 4, 5]) await recall({ prompt: questions[at % questions.length] }, ctx("warm")); // the model is loaded
missed = 0;
const times = [];
let injected = 0;
for (const [at, prompt] of questions.entries()) {
  await setTimeout(PAUSE_MS);
  const began = performance.now();
  const given = await recall({ prompt }, ctx(at));
  times.push(performance.now() - began);
  injected += given ? 1 : 0;
}
await server.stop();
times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))];
console.log(JSON.stringify({ turns: times.length, p50: at(0.5), p95: at(0.95), injected, missed }));
