/** Files: what is indexed, whether it is fresh, and the chunks of each. */

import { fill, h, memoryPath } from "../dom.js";
import { bytes, counted, whole } from "../format.js";
import { laneName } from "../palette.js";
import { button, empty, facts, failure, fix, loaded, notice, occupied, panel, select, toast, when } from "../parts.js";
import { LongTable, filterBox, paged } from "../table.js";

const LONG = 900;

/** The name, tone and meaning of each state. */
const STATES = {
  fresh: ["fresh", "good", "Indexed as it is."],
  changed: ["changed", "warn", "It was written since it was read. The next sync reads it again."],
  new: ["new", "accent", "Not indexed yet. The next sync reads it."],
  unreadable: ["unreadable", "bad", "It could not be read."],
  gone: ["gone", "warn", "It is no longer there. The next sync drops its lines."],
  out_of_sight: ["out of sight", "warn", "It cannot be looked at now, as on a disk that is not mounted. Its lines stay."],
};
const filePath = (path) => `#/files/${encodeURIComponent(path)}`;
const stateChip = (state) => h("span", { class: ["chip", STATES[state]?.[1] ?? ""], title: STATES[state]?.[2] }, STATES[state]?.[0] ?? state);

const COLUMNS = [
  { key: "path", name: "File", class: "text", cell: (row) => [
    h("a", { href: filePath(row.path), tabindex: "-1", dir: "auto", title: row.path }, row.path),
    h("span", { class: "under", "aria-hidden": "true" }, STATES[row.state]?.[0] ?? row.state, " · ", counted(row.chunks, "chunk")),
  ] },
  { key: "state", name: "Index", cell: (row) => stateChip(row.state) },
  { key: "lane", name: "Lane", cell: (row) => laneName(row.lane) },
  { key: "scope", name: "Scope", cell: (row) => h("span", { dir: "auto" }, row.scope) },
  { key: "chunks", name: "Chunks", class: "num", cell: (row) => (row.chunks ? whole(row.chunks) : h("span", { class: "quiet" }, "–")) },
  { key: "size", name: "Size", class: "num", cell: (row) => bytes(row.size) },
  { key: "modified", name: "Written", class: "time", cell: (row) => when(row.modified_at) },
];

export async function showFiles({ api, root, signal, query, canAdminister }) {
  root.classList.add("wide", "filled");
  const chosen = { contains: query.get("contains") ?? "", state: query.get("state") ?? "" };
  const table = new LongTable({ label: "Files", canSelect: false, open: (row) => (location.hash = filePath(row.path)) });
  const nothing = h("div", { class: "stack" });
  const count = h("p", { role: "status" });
  const box = filterBox(table, { label: "Filter by path", value: chosen.contains, most: 1024, signal, changed: (contains) => set({ contains }) });
  const sync = canAdminister && button("Sync now", start, { symbol: "repeat" });
  fill(
    root,
    h("div", { class: "head" }, h("div", {}, h("h1", { tabindex: "-1" }, "Files"), count), h("div", { class: "tools" }, sync)),
    h("form", { class: "filter-bar", role: "search", "aria-label": "Filter files", on: { submit: (event) => event.preventDefault() } }, box,
      select([["", "Any state"], ...Object.entries(STATES).map(([state, [name]]) => [state, name])], chosen.state, { class: "select auto kept", "aria-label": "State", changed: (state) => set({ state }) })),
    nothing,
    table.element,
  );
  table.arrange(COLUMNS, "");
  const again = paged(table, {
    signal,
    place: nothing,
    load: async (after, limit) => {
      const { files, next, total } = await api.get("/v1/index/files", { ...chosen, after, limit }, { signal });
      return { rows: files.map((each) => ({ ...each, id: each.path, isOver: each.state === "gone" })), next, total };
    },
    shown: ({ rows, total }) => {
      count.textContent = total ? counted(total, "file") : "";
      if (rows.length) return null;
      return chosen.contains || chosen.state
        ? empty("search", "No files match", "Look for another part of the path, or in any state.")
        : empty("file", "No files are indexed", "Index a folder of notes, and search finds its lines.", fix("Run `cortex index PATH`"));
    },
  });

  function set(changes) {
    Object.assign(chosen, changes);
    const fields = new URLSearchParams(Object.entries(chosen).filter(([, each]) => each));
    history.replaceState(null, "", fields.size ? `#/files?${fields}` : "#/files");
    again();
  }

  async function start() {
    const free = occupied(sync);
    try {
      const { synced } = await api.post("/v1/index", {});
      toast(`${counted(synced.added + synced.changed, "file")} read, ${whole(synced.removed)} removed`);
      await again();
    } catch (error) {
      if (error.status !== 401) fill(nothing, failure(error));
    } finally {
      free();
    }
  }
  await again();
}

/** One file, and its chunks in the order of its lines. */
export async function showFile({ api, root, signal, title }, path) {
  root.classList.add("narrow");
  const route = `/v1/index/files/${path.split("/").map(encodeURIComponent).join("/")}`;
  await loaded(root, signal, () => api.get(route, {}, { signal }), ({ file, chunks }) => {
    title(path);
    return [
      h("div", { class: "head" }, h("div", {}, h("p", { class: "crumb" }, h("a", { href: "#/files" }, "Files")), h("h1", { tabindex: "-1", dir: "auto" }, path), h("p", {}, counted(file.chunks, "chunk")))),
      file.state !== "fresh" && notice(file.state === "unreadable" ? "bad" : "warn", STATES[file.state]?.[0] ?? file.state, h("p", {}, STATES[file.state]?.[2], file.trouble && ` It ${file.trouble}.`)),
      panel("Details", null, facts([
        ["Index", stateChip(file.state)],
        ["Lane", laneName(file.lane)],
        ["Scope", file.scope],
        ["Source", file.source || "the agent's workspace"],
        ["Size", bytes(file.size)],
        ["Written", when(file.modified_at, "moment")],
      ])),
      chunks.length > 0 && panel("Chunks", "What search finds, in the order of the lines", h("ol", { class: "chunks" }, chunks.map(chunk))),
    ];
  }, { title: "File" });
}

function chunk(each) {
  return h("li", { tabindex: "-1", data: { item: "" } },
    h("p", { class: "who" }, h("a", { href: memoryPath(each.id) }, `Lines ${each.start_line} to ${each.end_line}`), each.section?.length > 0 && h("span", { dir: "auto" }, each.section.join(" › "))),
    h("p", { class: "words", dir: "auto" }, each.text.length > LONG ? `${each.text.slice(0, LONG)}…` : each.text));
}
