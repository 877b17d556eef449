// `openclaw cortex …` and `openclaw ltm …`: the cortex program on the memory of this plugin.

import { spawn } from "node:child_process";

import { agentName } from "./chat.js";
import { findingsOf } from "./findings.js";

/** @typedef {import("openclaw/plugin-sdk/plugin-entry").OpenClawPluginApi} Api */

export const COMMANDS = [
  { name: "cortex", description: "Run the cortex program on this memory", hasSubcommands: true },
  { name: "ltm", description: "List, search, export and import memories", hasSubcommands: true },
];

const LTM = /** @type {Record<string, string[]>} */ ({
  list: ["list", "--lane", "memories"],
  search: ["search"],
  query: ["list", "--lane", "memories"],
  stats: ["status"],
  export: ["export"],
  import: ["import"],
});

/** @param {Api} api @param {import("./config.js").PluginConfig} config */
export function registerCommands(api, config) {
  api.registerCli(
    ({ program, config: host }) => {
      program
        .command("cortex [arguments...]")
        .description(COMMANDS[0].description)
        .helpOption(false)
        .allowUnknownOption()
        .allowExcessArguments()
        .action(async (/** @type {string[]} */ given) => {
          const found = given[0] === "doctor" ? findingsOf(host, config) : [];
          for (const finding of found) console.log(`openclaw: ${finding}`);
          const code = await run(config, given);
          process.exitCode = code || (found.length ? 1 : 0);
        });

      const ltm = program.command("ltm").description(COMMANDS[1].description);
      for (const name of Object.keys(LTM)) {
        ltm
          .command(`${name} [arguments...]`)
          .description(`The same as \`cortex ${LTM[name].join(" ")}\``)
          .option("--agent <id>", "The agent whose memory to use")
          .allowUnknownOption()
          .allowExcessArguments()
          .action(async (/** @type {string[]} */ given, /** @type {{ agent?: string }} */ { agent }) => {
            process.exitCode = await run(config, [...(agent ? ["--agent", agentName(agent)] : []), ...LTM[name], ...given]);
          });
      }
    },
    { commands: ["cortex", "ltm"], descriptors: COMMANDS },
  );
}

/**
 * Runs `cortex` in this terminal; returns its exit code.
 * @param {import("./config.js").PluginConfig} config
 * @param {string[]} given
 * @returns {Promise<number>}
 */
function run(config, given) {
  return new Promise((resolve) => {
    const child = spawn(config.command, ["--home", config.home, ...given], {
      stdio: "inherit",
      env: { ...process.env, ...config.environment },
    });
    child.once("error", (/** @type {NodeJS.ErrnoException} */ error) => {
      console.error(error.code === "ENOENT" ? `there is no program ${config.command}; set plugins.entries.cortex.config.command` : error.message);
      resolve(127);
    });
    child.once("close", (code) => resolve(code ?? 1));
  });
}
