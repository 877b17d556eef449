/** Backups: how old the newest one is, and whether it can be restored. */

import { fill, h } from "../dom.js";
import { ago, bytes, counted, whole } from "../format.js";
import { button, command, empty, failure, forAdministrators, head, loaded, notice, occupied, panel, sentence, tiles, toast, when } from "../parts.js";

const OLD_HOURS = 48;

export async function showBackups({ api, root, signal, canAdminister }) {
  if (!canAdminister) {
    fill(root, forAdministrators("Backups"));
    return;
  }
  const verdict = h("div", { class: "stack", role: "status" });
  const place = h("div", { class: "stack" });
  const act = (path, done) => async (event) => {
    const pressed = event.currentTarget;
    const free = occupied(pressed);
    fill(verdict);
    try {
      fill(verdict, done(await api.post(path, {}, { signal })));
      await load();
    } catch (error) {
      if (!signal.aborted && error.status !== 401) fill(verdict, failure(error));
    } finally {
      free();
    }
  };
  const drill = button("Run drill", act("/v1/backups/drill", (found) => tried(found.drill)), { symbol: "shield" });
  const create = button("Back up now", act("/v1/backups", (found) => {
    toast("Backup created");
    return found.removed.length > 0 && h("p", { class: "small quiet" }, `${counted(found.removed.length, "old backup was", "old backups were")} removed, as the settings say.`);
  }), { kind: "main-action", symbol: "plus" });
  fill(root, head("Backups", "A backup counts once it was restored: a drill restores the newest one beside the memory and checks it.", [drill, create]), verdict, place);
  const ask = async () => [(await api.get("/v1/backups", {}, { signal })).backups, (await api.get("/v1/backups/drill", {}, { signal })).drill];
  const load = () => loaded(place, signal, ask, ([backups, last]) => {
    const ours = backups.filter((each) => !each.replaced);
    drill.disabled = !ours.length;
    if (!backups.length) return h("section", { class: "panel" }, empty("backups", "No backup yet", "The server makes one on schedule, if the setting allows it.", command("cortex backup create")));
    return [tiles(facts(ours, last)), last && !last.ok && tried(last), list(backups, last)];
  });
  await load();
}

function facts(backups, last) {
  const newest = backups[0];
  const hours = newest ? (Date.now() - new Date(newest.at)) / 3_600_000 : null;
  return [
    { label: "Newest backup", value: newest ? ago(newest.at) : "none", about: newest ? bytes(newest.bytes) : "", tone: hours === null || hours > OLD_HOURS ? "warn" : "" },
    { label: "Last drill", value: last ? ago(last.at) : "never", about: last ? (last.ok ? "the backup was sound" : "the backup was not sound") : "no backup was tried yet", tone: !last ? "warn" : last.ok ? "good" : "bad" },
    { label: "Backups", value: whole(backups.length), about: `${bytes(backups.reduce((sum, each) => sum + each.bytes, 0))} in all` },
    last && { label: "Restored in", value: `${last.seconds.toFixed(1)} s`, about: `${counted(last.traces, "memory or turn", "memories and turns")} of ${counted(last.users, "user")}` },
  ].filter(Boolean);
}

function tried(found) {
  const replayed = found.questions ? `${whole(found.same)} of ${counted(found.questions, "recorded recall")} gave the same answer.` : "";
  if (found.ok) return notice("good", "The newest backup can be restored", h("p", {}, `${fileOf(found)}: ${counted(found.traces, "memory or turn", "memories and turns")}, checked in ${found.seconds.toFixed(1)} s. ${replayed}`));
  return notice("bad", "The newest backup is not sound", h("ul", { class: "reasons" }, found.problems.map((each) => h("li", {}, sentence(each)))), h("p", {}, "Back up again and run the drill once more. Do not delete older backups before."));
}

function list(backups, last) {
  const cell = (content, kind = "") => h("td", { class: kind }, content);
  return h("div", { class: "panel flush" }, h("table", { class: "table slips" },
    h("caption", { class: "hidden" }, "Backups, newest first"),
    h("thead", {}, h("tr", {}, ["Created", "File", "State"].map((name) => h("th", { scope: "col" }, name)), h("th", { scope: "col", class: "num" }, "Size"))),
    h("tbody", {}, backups.map((each) => h("tr", { tabindex: "-1", data: { item: "" } },
      cell(when(each.at, "moment"), "nowrap"), cell(h("span", { class: "mono" }, fileOf(each)), "whole"),
      cell([each.replaced && h("span", { class: "chip warn" }, "replaced by a restore"), last?.file === fileOf(each) && h("span", { class: ["chip", last.ok ? "good" : "bad"] }, last.ok ? "restored in a drill" : "failed the drill")]),
      cell(bytes(each.bytes), "num"))))));
}

const fileOf = (each) => String(each.file).split("/").at(-1);
