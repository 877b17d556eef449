// Cortex as the memory of OpenCode: recalls before each message, remembers after each turn.
// It passes what happens to `cortex hook event`. Whatever fails there, the conversation goes on.

import { spawn } from "node:child_process";

const COMMAND = ["cortex"];
const LIMIT_MS = 30_000; // a hook has its own deadline: this is for one that hangs
const MOST_SESSIONS = 100;

/** What the hook prints for an event; empty on any failure. */
function hook(event) {
  return new Promise((resolve) => {
    let text = "";
    const done = (value) => {
      clearTimeout(timer);
      resolve(value);
    };
    let child;
    const timer = setTimeout(() => {
      child?.kill();
      done("");
    }, LIMIT_MS);
    try {
      child = spawn(COMMAND[0], [...COMMAND.slice(1), "hook", "event"], { stdio: ["pipe", "pipe", "ignore"] });
      child.on("error", () => done(""));
      child.stdin.on("error", () => {});
      child.stdout.setEncoding("utf8");
      child.stdout.on("data", (piece) => (text += piece));
      child.on("close", () => done(text));
      child.stdin.end(JSON.stringify(event));
    } catch {
      done("");
    }
  });
}

function contextOf(printed) {
  try {
    return JSON.parse(printed).hookSpecificOutput.additionalContext ?? "";
  } catch {
    return "";
  }
}

function textOf(parts) {
  const texts = (parts ?? []).filter((part) => part.type === "text" && !part.synthetic && !part.ignored);
  const text = texts.map((part) => part.text ?? "").join("\n");
  // `opencode run` puts quotes around its argument, which would make it somebody else's words.
  return /^"[^"]*"$/.test(text.trim()) ? text.trim().slice(1, -1) : text;
}

export const CortexMemory = async ({ client, directory, worktree }) => {
  const cwd = worktree && worktree !== "/" ? worktree : directory;
  const contexts = new Map();
  const pending = new Set();
  let introduction = "";

  const background = (work) => {
    const running = work.catch(() => {}).finally(() => pending.delete(running));
    pending.add(running);
    return running;
  };

  const store = async (session, name) => {
    const found = await client.session.messages({ path: { id: session } });
    const messages = (found?.data ?? [])
      .filter(({ info }) => info.role === "user" || info.role === "assistant")
      .map(({ info, parts }) => ({ role: info.role, content: textOf(parts) }))
      .filter(({ content }) => content.trim());
    if (messages.length > 0) {
      await hook({ hook_event_name: name, session_id: session, cwd, messages });
    }
  };

  background(
    hook({ hook_event_name: "SessionStart", session_id: "opencode", cwd }).then((printed) => {
      introduction = contextOf(printed);
    }),
  );

  return {
    config: async (config) => {
      config.mcp ??= {};
      config.mcp.cortex ??= { type: "local", command: [...COMMAND, "mcp", "--here"], enabled: true, timeout: LIMIT_MS };
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = textOf(parts);
      if (!prompt.trim()) return;
      const event = { hook_event_name: "UserPromptSubmit", session_id: sessionID, cwd, prompt };
      contexts.delete(sessionID);
      contexts.set(sessionID, contextOf(await hook(event)));
      if (contexts.size > MOST_SESSIONS) contexts.delete(contexts.keys().next().value);
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const context = [introduction, contexts.get(sessionID)].filter(Boolean).join("\n\n");
      if (context) system.push(context);
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await background(store(sessionID, "PreCompact"));
    },
    event: async ({ event }) => {
      if (event.type === "session.idle") await background(store(event.properties.sessionID, "Stop"));
      if (event.type === "session.deleted") contexts.delete(event.properties.info?.id);
    },
    dispose: async () => {
      await Promise.all(pending);
    },
  };
};
