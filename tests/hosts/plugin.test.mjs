// The plugin's modules, without a host and without a server.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Cache } from "../../plugins/openclaw/capability.js";
import { agentName, chatOf, isSharedSession, label } from "../../plugins/openclaw/chat.js";
import { configOf } from "../../plugins/openclaw/config.js";
import { findingsOf } from "../../plugins/openclaw/findings.js";
import { ofRun, outgoing } from "../../plugins/openclaw/messages.js";
import { register } from "../../plugins/openclaw/plugin.js";

const unknownType = () => undefined;

/** An api as the host hands it over, which records what is registered. */
function recordingApi(pluginConfig = {}, mode = "full") {
  const registered = { tools: new Map(), hooks: [], services: [], warnings: [], clis: [], capability: undefined };
  const api = {
    registrationMode: mode,
    pluginConfig: { recallTimeoutMs: 20_000, ...pluginConfig }, // a busy machine is slow
    config: { plugins: { slots: { memory: "cortex" }, entries: { cortex: { hooks: { allowConversationAccess: true } } } } },
    logger: { info() {}, warn: (line) => registered.warnings.push(line) },
    runtime: {},
    registerTool: (factory, { name }) => registered.tools.set(name, factory),
    registerCli: (registrar) => registered.clis.push(registrar),
    registerMemoryCapability: (capability) => (registered.capability = capability),
    registerService: (service) => registered.services.push(service),
    on: (name, handler, options = {}) => registered.hooks.push({ name, handler, options }),
  };
  return { api, registered };
}

/** A server whose answers the test decides. */
async function scriptedServer(t, answer) {
  const requests = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      requests.push({ path: request.url, token: request.headers.authorization, body: body && JSON.parse(body) });
      answer(request, response, body && JSON.parse(body));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => (server.closeAllConnections(), server.close()));
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}

const allowed = { allows: () => true, assertActive() {} };
const hookOf = (registered, name, authority = false) =>
  registered.hooks.find((hook) => hook.name === name && Boolean(hook.options.requiresToolAuthority) === authority).handler;

test("unknown and wrong settings are reported and leave the defaults", () => {
  const config = configOf({ recalTimeoutMs: 5, recallTimeoutMs: "soon", inject: "sideways", autoRecall: "yes", receipts: { maxItems: {} } });
  assert.equal(config.recallTimeoutMs, 200);
  assert.equal(config.inject, "append");
  assert.equal(config.autoRecall, true);
  assert.equal(config.problems.length, 5);
  assert.match(config.problems.join("\n"), /`recalTimeoutMs` is not a setting/);
  assert.match(config.problems.join("\n"), /`recallTimeoutMs` must be a whole number; 200 is used/);
});

test("no configuration at all is a valid one", () => {
  assert.deepEqual(configOf(undefined).problems, []);
  assert.deepEqual(configOf({}).environment, {});
});

test("the seeds' settings reach the server under the engine's names (C14, L6, E12, E13, B22)", () => {
  const { environment, problems } = configOf({
    recallTimeoutMs: 300,
    recallMaxTokens: 700,
    recallMaxFacts: 9,
    synthesisCacheTtlMs: 1_500,
    hwMonitorEnabled: true,
    hwMonitorPort: 8086,
    embedHost: "10.0.0.2",
    receipts: { verbosity: "high", maxItems: 5 },
    embedding: { apiKey: 'k"1', model: "text-embedding-3-large", maxChars: 3000 },
    memorySearch: { query: { maxResults: 4, minScore: 0.5 }, extraPaths: ["/notes"] },
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(environment, {
    CORTEX_HOOKS__DEADLINE_MS: "300",
    CORTEX_HOOKS__MAX_TOKENS: "700",
    CORTEX_HOOKS__MAX_FACTS: "9",
    CORTEX_HOOKS__SYNTHESIS_TTL_MS: "1500",
    CORTEX_HARDWARE__ENABLED: "true",
    CORTEX_RECEIPTS__VERBOSITY: "high",
    CORTEX_RECEIPTS__MAX_ITEMS: "5",
    CORTEX_EMBEDDING__MAX_CHARS: "3000",
    CORTEX_EMBEDDING__OPTIONS: '{ api_key = "k\\"1", model = "text-embedding-3-large" }',
    CORTEX_EMBEDDING__PROVIDER: "openai",
    CORTEX_MEMORYCORTEX: '{ hwMonitorPort = 8086, embedHost = "10.0.0.2" }',
    CORTEX_FILES__MAX_RESULTS: "4",
    CORTEX_FILES__MIN_SCORE: "0.5",
    CORTEX_FILES__EXTRA_PATHS: '["/notes"]',
  });
});

test("capture is off where two names of one setting differ", () => {
  const config = configOf({ autoIngest: false, autoCapture: true });
  assert.equal(config.autoCapture, false);
  assert.equal(config.problems.length, 1);
});

test("a group has its own chat id, whatever topic of it speaks", () => {
  const chat = chatOf({ agentId: "main", sessionKey: "agent:main:telegram:group:-1001:topic:7", senderId: "42", channel: "telegram" }, unknownType);
  assert.deepEqual(chat, { agent: "main", chat: "group", chat_id: "telegram:-1001", sender: "telegram:42" });
});

test("hooks and tools name the same chat though the host gives them different ids", () => {
  const key = { agentId: "main", sessionKey: "agent:main:discord:channel:9" };
  const hook = chatOf({ ...key, chatId: "channel:9", channel: "discord" }, unknownType);
  assert.deepEqual(hook, chatOf({ ...key, chatId: "9" }, unknownType));
});

test("a session of unknown shape has a memory of its own when somebody else speaks there", () => {
  const strange = { agentId: "main", sessionKey: "agent:main:matrix2:room!x", senderId: "eve", channel: "matrix2" };
  assert.deepEqual(chatOf(strange, unknownType), { agent: "main", chat: "group", chat_id: strange.sessionKey, sender: "matrix2:eve" });
  assert.equal(chatOf({ agentId: "main", sessionKey: "what is this" }, unknownType).chat, undefined);
});

test("with one memory per sender, the main session is shared and a session of one's own is not", () => {
  const of = (sessionKey) => {
    const ctx = { agentId: "main", sessionKey, senderId: "42", channel: "telegram" };
    return isSharedSession(ctx, chatOf(ctx, unknownType));
  };
  assert.equal(of("agent:main:main"), true);
  assert.equal(of("agent:main:telegram:direct:42"), false);
  assert.equal(of("agent:main:direct:42"), false);
  assert.equal(of("agent:main:telegram:work:direct:42"), false);
});

test("any id of an agent becomes a name that the engine accepts", () => {
  for (const id of [undefined, "", "Main", "../../etc", "Ärger 7", "x".repeat(500), "\u0000"]) {
    assert.match(agentName(id), /^[a-z0-9][a-z0-9._-]{0,63}$/);
  }
});

test("names of sessions and senders are printable and stay different", () => {
  const names = ["agent:main:main", "", " ", "a\u0007", "a?", "x".repeat(300), `${"x".repeat(300)}y`, "\ud800", "\u2028"];
  const labels = names.map(label);
  assert.equal(new Set(labels).size, names.length);
  assert.equal(labels[0], names[0]);
  for (const each of labels) assert.match(each, /^[ -~\ufffd]{1,200}$/);
});

test("what is sent has text and no data", () => {
  const sent = outgoing([
    { role: "user", content: [{ type: "text", text: "look" }, { type: "image", data: "A".repeat(9_000_000) }] },
    { role: "assistant", content: [{ type: "toolCall", name: "x", arguments: { a: 1 } }, { type: "thinking", thinking: "hm" }] },
    { role: "toolResult", content: [{ type: "text", text: "B".repeat(5_000_000) }] },
    { role: "user" }, { role: 7 }, null, "text", { role: "martian", content: "hi" }, { role: "user", content: "plain", timestamp: 1 },
  ]);
  assert.deepEqual(sent[0], { role: "user", content: [{ type: "text", text: "look" }, { type: "image" }] });
  assert.deepEqual(sent[1].content, [{ type: "toolCall" }, { type: "thinking" }]);
  assert.equal(sent[2].content[0].text.length, 100_000);
  assert.deepEqual(sent.at(-1), { role: "user", content: "plain", timestamp: 1 });
  assert.ok(JSON.stringify(sent).length < 200_000);
});

test("of a history of 20 MB the newest messages are sent", () => {
  const history = Array.from({ length: 200 }, (_, at) => ({ role: at % 2 ? "assistant" : "user", content: `${at} ${"x".repeat(100_000)}` }));
  const sent = outgoing(history);
  assert.ok(JSON.stringify(sent).length < 7_000_000);
  assert.match(sent.at(-1).content, /^199 /);
  assert.ok(sent.length > 50);
});

test("the messages of one run begin with its user's", () => {
  const history = [{ role: "user", content: "Eve's" }, { role: "assistant", content: "a" }, { role: "user", content: "mine" }, { role: "assistant", content: "b" }];
  assert.deepEqual(ofRun(history, 2), history.slice(2));
  assert.deepEqual(ofRun(history, 3), history.slice(2)); // the count points elsewhere: the last user message decides
  assert.deepEqual(ofRun(history, undefined), history.slice(2));
  assert.deepEqual(ofRun([{ role: "assistant" }], 0), []);
});

test("the flush plan has the day of the asked moment, also over midnight and in another time zone (B20)", async () => {
  const template = (timezone) => ({ template: { relativePath: "memory/{date}.md", prompt: "write to memory/{date}.md", systemPrompt: "s", softThresholdTokens: 1, forceFlushTranscriptBytes: 2, reserveTokensFloor: 3, timezone } });
  const cacheIn = async (zone) => {
    const cache = new Cache({ post: async () => template(zone) }, { warn() {} });
    await cache.refreshPlan();
    return cache;
  };
  const before = Date.UTC(2026, 2, 1, 23, 59, 59);
  const utc = await cacheIn("UTC");
  assert.equal(utc.flushPlan(before).relativePath, "memory/2026-03-01.md");
  assert.equal(utc.flushPlan(before + 1_000).relativePath, "memory/2026-03-02.md");
  assert.equal(utc.flushPlan(before + 1_000).prompt, "write to memory/2026-03-02.md");
  assert.equal((await cacheIn("Asia/Tokyo")).flushPlan(before).relativePath, "memory/2026-03-02.md");
  assert.equal("timezone" in utc.flushPlan(before), false);
});

test("the flush plan is the engine's default until the server has answered, and none where flushing is off", async () => {
  const down = new Cache({ post: async () => { throw Object.assign(new Error(), { code: "no_server" }); } }, { warn() {} });
  assert.match(down.flushPlan(Date.UTC(2026, 0, 5, 12)).relativePath, /^memory\/2026-01-0\d\.md$/);
  const off = new Cache({ post: async () => ({ template: null }) }, { warn() {} });
  await off.refreshPlan();
  assert.equal(off.flushPlan(0), null);
});

test("nothing starts in any mode but full", () => {
  for (const mode of ["discovery", "tool-discovery", "setup-only", "setup-runtime", "cli-metadata"]) {
    assert.equal(recordAll(mode).services.length, 0, mode);
  }
  assert.equal(recordAll("full").services.length, 1);
  function recordAll(mode) {
    const { api, registered } = recordingApi({}, mode);
    register(api);
    assert.equal(registered.tools.size, 9);
    return registered;
  }
});

test("owner-only tools are not offered to others (E2)", () => {
  const { api, registered } = recordingApi();
  register(api);
  const offered = (senderIsOwner) => [...registered.tools].filter(([, factory]) => factory({ senderIsOwner })).map(([name]) => name);
  assert.deepEqual(offered(undefined), offered(false));
  assert.deepEqual(offered(false).sort(), ["memory_forget", "memory_get", "memory_recall", "memory_search", "memory_store"]);
  assert.equal(offered(true).length, 9);
});

test("an empty message asks for nothing, and a missing one falls back to the prompt", async (t) => {
  const server = await scriptedServer(t, (_, response) => response.end('{"block": "B"}'));
  const { api, registered } = recordingApi({ baseUrl: server.url });
  register(api);
  const recall = hookOf(registered, "before_prompt_build", true);
  assert.equal(await recall({ prompt: "p", currentUserMessage: "" }, { toolAuthority: allowed }), undefined);
  assert.equal(server.requests.length, 0);
  assert.deepEqual(await recall({ prompt: "p" }, { toolAuthority: allowed }), { appendContext: "B" });
  assert.equal(server.requests[0].body.message, "p");
});

test("a turn that may not use memory is given none", async (t) => {
  const server = await scriptedServer(t, (_, response) => response.end('{"block": "B"}'));
  const { api, registered } = recordingApi({ baseUrl: server.url });
  register(api);
  const recall = hookOf(registered, "before_prompt_build", true);
  assert.equal(await recall({ prompt: "p" }, { toolAuthority: { ...allowed, allows: () => false } }), undefined);
  assert.equal(await recall({ prompt: "p" }, {}), undefined);
  assert.equal(server.requests.length, 0);
});

for (const [place, key] of Object.entries({ append: "appendContext", prepend: "prependContext", system: "appendSystemContext" })) {
  test(`memories go where the operator wants them: ${place}`, async (t) => {
    const server = await scriptedServer(t, (_, response) => response.end('{"block": "B"}'));
    const { api, registered } = recordingApi({ baseUrl: server.url, inject: place });
    register(api);
    assert.deepEqual(await hookOf(registered, "before_prompt_build", true)({ prompt: "p" }, { toolAuthority: allowed }), { [key]: "B" });
  });
}

test("a slow server is given up on our side, with one log line without any text", async (t) => {
  const server = await scriptedServer(t, () => {}); // it never answers
  const { api, registered } = recordingApi({ baseUrl: server.url, recallTimeoutMs: 50 });
  register(api);
  const recall = hookOf(registered, "before_prompt_build", true);
  for (const prompt of ["my secret plan", "again"]) assert.equal(await recall({ prompt }, { toolAuthority: allowed }), undefined);
  assert.deepEqual(registered.warnings, ["cortex: recall: deadline; the turn goes on without memories"]);
});

test("a revoked token, a server that is down and one that talks nonsense let the turn go on", async (t) => {
  const answers = {
    unauthorized: (_, response) => (response.writeHead(401, { "content-type": "application/problem+json" }), response.end('{"code": "unauthorized"}')),
    http_500: (_, response) => (response.writeHead(500), response.end("<html>my secret")),
    http_200: (_, response) => response.end("not json"),
  };
  for (const [code, answer] of Object.entries(answers)) {
    const server = await scriptedServer(t, answer);
    const { api, registered } = recordingApi({ baseUrl: server.url, token: "revoked" });
    register(api);
    assert.equal(await hookOf(registered, "before_prompt_build", true)({ prompt: "p" }, { toolAuthority: allowed }), undefined);
    await hookOf(registered, "agent_end")({ success: true, messages: [{ role: "user", content: "said" }] }, { sessionKey: "s" });
    assert.match(registered.warnings[0], new RegExp(`recall: ${code};`));
    assert.equal(registered.warnings.length, 2);
    assert.doesNotMatch(registered.warnings.join(), /secret|said|revoked/);
  }
  const { api, registered } = recordingApi({ baseUrl: "http://127.0.0.1:9" });
  register(api);
  assert.equal(await hookOf(registered, "before_prompt_build", true)({ prompt: "p" }, { toolAuthority: allowed }), undefined);
  assert.match(registered.warnings[0], /recall: unreachable;/);
});

test("what could not be stored is stored when the server is back, once for each session", async (t) => {
  let isDown = true;
  const server = await scriptedServer(t, (request, response) => {
    if (isDown) response.writeHead(503);
    response.end(isDown ? '{"code": "busy"}' : '{"stored": 2, "degraded": [], "contract": 1, "template": null}');
  });
  const { api, registered } = recordingApi({ baseUrl: server.url });
  register(api);
  const end = hookOf(registered, "agent_end");
  const said = (...texts) => texts.map((content) => ({ role: "user", content }));
  await end({ success: true, messages: said("one") }, { sessionKey: "a" });
  await end({ success: true, messages: said("one", "two") }, { sessionKey: "a" });
  isDown = false;
  server.requests.length = 0;
  await hookOf(registered, "gateway_stop")();
  assert.deepEqual(server.requests.map(({ body }) => body.messages.length), [2]);
  server.requests.length = 0;
  await hookOf(registered, "gateway_stop")();
  assert.equal(server.requests.length, 0);
});

test("a failed run is not stored", async (t) => {
  const server = await scriptedServer(t, (_, response) => response.end('{"stored": 1}'));
  const { api, registered } = recordingApi({ baseUrl: server.url });
  register(api);
  await hookOf(registered, "agent_end")({ success: false, messages: [{ role: "user", content: "x" }] }, { sessionKey: "a" });
  assert.equal(server.requests.length, 0);
});

test("with one memory per sender, only the run's messages are stored, and a shared session is refused with the setting", async (t) => {
  const server = await scriptedServer(t, (_, response) => response.end('{"block": "B"}'));
  const { api, registered } = recordingApi({ baseUrl: server.url, perSender: true });
  register(api);
  const [begin, recall, end] = [hookOf(registered, "before_prompt_build"), hookOf(registered, "before_prompt_build", true), hookOf(registered, "agent_end")];
  const history = [{ role: "user", content: "old" }, { role: "assistant", content: "ok" }, { role: "user", content: "new" }, { role: "assistant", content: "ok" }];
  const own = { runId: "1", agentId: "main", sessionKey: "agent:main:telegram:direct:42", senderId: "42", channel: "telegram" };
  begin({ messages: history.slice(0, 2) }, own);
  await end({ success: true, messages: history }, { runId: "1", sessionKey: own.sessionKey, agentId: "main" });
  assert.deepEqual(server.requests[0].body.messages.map((message) => message.content), ["new", "ok"]);
  assert.equal(server.requests[0].body.sender, "telegram:42");

  server.requests.length = 0;
  const over = hookOf(registered, "session_end");
  for (const reason of ["compaction", "reset", "reset"]) await over({ reason }, { sessionKey: own.sessionKey, agentId: "main" });
  assert.deepEqual(server.requests.map(({ body }) => [body.sender, body.end, body.messages]), [["telegram:42", true, []]]);

  server.requests.length = 0;
  const shared = { ...own, runId: "2", sessionKey: "agent:main:main" };
  begin({ messages: [] }, shared);
  assert.equal(await recall({ prompt: "p" }, { ...shared, toolAuthority: allowed }), undefined);
  await end({ success: true, messages: history }, { runId: "2", sessionKey: shared.sessionKey, agentId: "main" });
  const store = registered.tools.get("memory_store")({ agentId: "main", sessionKey: "agent:main:main", requesterSenderId: "42", messageChannel: "telegram" });
  await assert.rejects(() => store.execute("1", { text: "x" }), /session.dmScope/);
  assert.equal(server.requests.length, 0);
  assert.equal(registered.warnings.length, 1);
  assert.match(registered.warnings[0], /session\.dmScope to "per-channel-peer"/);
});

test("lone surrogates do not reach the server", async (t) => {
  const server = await scriptedServer(t, (_, response) => response.end('{"block": ""}'));
  const { api, registered } = recordingApi({ baseUrl: server.url });
  register(api);
  await hookOf(registered, "before_prompt_build", true)({ prompt: "a\ud800b" }, { senderId: "\udfff", sessionKey: "s", toolAuthority: allowed });
  assert.equal(server.requests[0].body.message, "a\ufffdb");
});

test("what blocks memory in the host's configuration is named with its setting", () => {
  const config = configOf({});
  const granted = { hooks: { allowConversationAccess: true } };
  const host = (cortex, more = {}) => ({ plugins: { slots: { memory: "cortex" }, entries: { cortex } }, ...more });
  assert.deepEqual(findingsOf(host(granted), config), []);
  assert.match(findingsOf(host({}), config)[0], /hooks\.allowConversationAccess to true/);
  assert.match(findingsOf(host({ hooks: { allowConversationAccess: true, allowPromptInjection: false } }), config)[0], /allowPromptInjection/);
  assert.match(findingsOf({ plugins: { entries: { cortex: granted } } }, config)[0], /memory-core.*plugins\.slots\.memory/);
  assert.match(findingsOf(host(granted), configOf({ perSender: true }))[0], /session\.dmScope/);
  assert.deepEqual(findingsOf(host(granted, { session: { dmScope: "per-peer" } }), configOf({ perSender: true })), []);
});

test("the notes of a workspace may go into the host's prompts, and links that lead out of it may not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cortex-notes-"));
  const workspaceDir = join(folder, "ws");
  mkdirSync(join(workspaceDir, "memory"), { recursive: true });
  for (const path of ["ws/MEMORY.md", "ws/memory/2026-01-05.md", "ws/AGENTS.md", "secret.md"]) writeFileSync(join(folder, path), "x");
  symlinkSync(join(folder, "secret.md"), join(workspaceDir, "USER.md"));
  const { api, registered } = recordingApi();
  register(api);
  const classes = async (relativePaths, readSources) => {
    const found = await registered.capability.runtime.classifyWorkspaceMemoryPaths({ agentId: "main", workspaceDir, relativePaths, readSources });
    return found.map((each) => each.originClass);
  };
  const names = ["MEMORY.md", "memory/2026-01-05.md", "AGENTS.md", "USER.md", "none.md", "../secret.md"];
  assert.deepEqual(await classes(names), ["agent", "agent", "untrusted", "untrusted", "untrusted", "untrusted"]);
  assert.deepEqual(await classes(["MEMORY.md"], [{ relativePath: "MEMORY.md" }]), ["untrusted"]);
  const { listArtifacts } = registered.capability.publicArtifacts;
  api.runtime.agent = { resolveAgentWorkspaceDir: () => workspaceDir };
  assert.deepEqual((await listArtifacts({})).map((artifact) => artifact.relativePath), ["MEMORY.md", "memory/2026-01-05.md"]);
  rmSync(folder, { recursive: true });
});

test("session hits are not exposed to the host, and a missing file is an answer", async (t) => {
  const server = await scriptedServer(t, (request, response) => {
    if (request.url.startsWith("/v1/files/lines")) return response.end('{"status": "not_found", "path": "memory/none.md", "text": ""}');
    response.end(JSON.stringify({ results: [{ source: "memory", path: "MEMORY.md" }, { source: "sessions", path: "s" }], files: 2, chunks: 3, provider: "local" }));
  });
  const { api, registered } = recordingApi({ baseUrl: server.url });
  register(api);
  const { manager } = await registered.capability.runtime.getMemorySearchManager({ agentId: "main" });
  assert.deepEqual((await manager.search("x")).map((hit) => hit.path), ["MEMORY.md"]);
  assert.deepEqual(await manager.search("x", { sources: ["sessions"] }), []);
  assert.deepEqual(await manager.readFile({ relPath: "memory/none.md" }), { status: "not_found", text: "", path: "memory/none.md" });
  assert.equal(manager.status().files, 2); // the cache was warm
});
