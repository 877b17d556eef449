/** A person in the memory of all users and in the backups: found, exported, and erased with a certificate. */

import { LONG } from "../api.js";
import { download, fill, h, memoryPath } from "../dom.js";
import { counted, whole } from "../format.js";
import { laneName } from "../palette.js";
import { button, confirmInWriting, copyButton, empty, facts, failure, field, forAdministrators, head, notice, occupied, panel, sentence, tiles, waiting, when } from "../parts.js";

const MOST_SHOWN = 200;
const ROLES = { speaker: "said it", sender: "sent it", subject: "it is about them", mention: "named in it", extracted: "extracted from their turn" };

/** The name stays out of the address: addresses are kept in histories and logs. */
export async function showPerson({ api, root, signal, me, canAdminister }) {
  if (!canAdminister) return void fill(root, forAdministrators("Person"));
  const name = h("input", { class: "input", autocomplete: "off", spellcheck: "false", maxlength: 200, dir: "auto", required: true });
  const also = h("input", { class: "input", autocomplete: "off", spellcheck: "false", dir: "auto" });
  const backups = h("input", { type: "checkbox", checked: true });
  const verdict = h("div", { class: "stack", role: "status" });
  const place = h("div", { class: "stack" });
  const find = button("Find", null, { type: "submit", kind: "main-action", symbol: "search" });
  const page = { who: null, found: null, chosen: new Set() };
  fill(
    root,
    head("Person", "Find, export and erase one person, over all users of the agent and the backups."),
    h("form", { class: "panel person-form", "aria-label": "Person", on: { submit: (event) => (event.preventDefault(), search()) } },
      field("Full name", name, "A first name alone is likely somebody else’s as well."),
      field("Other names", also, "Nicknames, addresses, numbers and handles, separated by commas."),
      h("div", { class: "row between" }, h("label", { class: "tick" }, backups, h("span", {}, "Search the backups, too")), find)),
    verdict,
    place,
  );

  const post = (path, body) => api.post(path, { ...page.who, ...body }, { signal, patience: LONG });

  async function search() {
    page.who = { person: name.value.trim(), also: also.value.split(",").map((each) => each.trim()).filter(Boolean) };
    if (!page.who.person) return void name.focus();
    page.chosen.clear();
    fill(verdict);
    const free = occupied(find);
    fill(place, waiting());
    try {
      page.found = await post("/v1/subjects/find", { backups: backups.checked });
      if (!signal.aborted) fill(place, report());
    } catch (error) {
      if (!signal.aborted && error.status !== 401) fill(place, failure(error, error.status === 0 ? search : null));
    } finally {
      free();
    }
  }

  // --- what was found ------------------------------------------------------------------------------------------------

  function report() {
    const { sure, likely, files, users, backups: searched, holding, unreadable } = page.found;
    const queries = Object.values(page.found.queries).reduce((sum, each) => sum + each, 0);
    const isNothing = !sure.length && !likely.length && !queries && !files.length;
    return [
      tiles([
        { label: "Sure", value: whole(sure.length), about: "surely of the person" },
        { label: "Likely", value: whole(likely.length), about: "for you to decide", tone: likely.length ? "warn" : "" },
        { label: "Kept queries", value: whole(queries), about: "and states of sessions" },
        { label: "Searched", value: counted(users, "user"), about: `${counted(searched.length, "backup")}, ${holding.length} with the person` },
      ]),
      unreadable.length > 0 && notice("warn", `${counted(unreadable.length, "backup")} cannot be read`, h("p", {}, unreadable.join(", "))),
      files.length > 0 && notice("warn", "Files name the person", h("p", {}, "Lines of files are yours to edit; nothing here changes them."), h("ul", {}, files.slice(0, MOST_SHOWN).map((each) => h("li", { dir: "auto" }, each)))),
      isNothing
        ? h("section", { class: "panel" }, empty("user", "Nobody of this name was found", "Give other names the person goes by, or check the spelling."))
        : [
          h("div", { class: "row between" }, h("div", { class: "row" }, exports()), button("Erase…", erase, { kind: "danger", symbol: "bin" })),
          matches("Sure", "Erased by “Erase”.", sure, false),
          matches("Likely", "They may be of somebody else. Tick what to erase as well.", likely, true),
        ],
    ];
  }

  function matches(title, about, found, mayChoose) {
    if (!found.length) return panel(title, null, h("p", { class: "small quiet" }, `No ${title.toLowerCase()} matches.`));
    const rest = found.length - MOST_SHOWN;
    const rows = found.slice(0, MOST_SHOWN).map((each) => h("tr", { tabindex: "-1", data: { item: "", match: each.id } },
      mayChoose && cell(h("input", { type: "checkbox", checked: page.chosen.has(each.id), "aria-label": `Erase ${each.id} as well`, on: { change: (event) => (event.target.checked ? page.chosen.add(each.id) : page.chosen.delete(each.id)) } })),
      cell(shown(each), "whole"),
      cell(h("span", { dir: "auto" }, each.user), "nowrap"),
      cell(laneName(each.lane), "nowrap"),
      cell(Object.entries(each.roles).map(([role, sureness]) => h("span", { class: "chip" }, ROLES[role] ?? role, !mayChoose && sureness === "likely" ? " (likely)" : "")), "nowrap"),
      cell(each.live ? (each.backups.length ? `also in ${counted(each.backups.length, "backup")}` : "") : h("span", { class: "chip warn" }, `in ${counted(each.backups.length, "backup")} only`), "nowrap")));
    return panel(title, rest > 0 ? `${about} The first ${MOST_SHOWN} of ${whole(found.length)}.` : about, h("table", { class: "table slips matches", data: { matches: title.toLowerCase() } },
      h("caption", { class: "hidden" }, `${title} matches`),
      h("thead", {}, h("tr", {}, mayChoose && h("th", { scope: "col" }, h("span", { class: "hidden" }, "Erase")), ["Memory or turn", "User", "Lane", "Because", "Backups"].map((each) => h("th", { scope: "col" }, each)))),
      h("tbody", {}, rows)));
  }

  /** Its text where the memory is the one that is shown now; of other users the id. */
  function shown(each) {
    if (!each.live || each.user !== me?.user) return h("span", { class: "id" }, each.id);
    const link = h("a", { href: memoryPath(each.id), dir: "auto" }, each.id);
    api.get(`/v1/memories/${encodeURIComponent(each.id)}`, {}, { signal }).then((trace) => (link.textContent = trace.text.slice(0, 300))).catch(() => {});
    return link;
  }

  // --- exporting and erasing -----------------------------------------------------------------------------------------

  function exports() {
    const withText = h("input", { type: "checkbox", checked: true });
    const likely = h("input", { type: "checkbox" });
    return [
      h("label", { class: "tick" }, withText, h("span", {}, "With texts")),
      h("label", { class: "tick" }, likely, h("span", {}, "Likely ones, too")),
      button("Export", async (event) => {
        const pressed = event.currentTarget;
        const free = occupied(pressed);
        try {
          const { records } = await post("/v1/subjects/export", { with_text: withText.checked, likely: likely.checked });
          download("person.jsonl", records.map((each) => `${JSON.stringify(each)}\n`).join(""), "application/x-ndjson");
          fill(verdict, notice("good", `${counted(records.length, "record")} exported`, h("p", {}, "As JSON lines, into your downloads.")));
        } catch (error) {
          if (!signal.aborted && error.status !== 401) fill(verdict, failure(error));
        } finally {
          free();
        }
      }, { symbol: "file" }),
    ];
  }

  async function erase() {
    const { sure } = page.found;
    const ids = [...page.chosen];
    const isSure = await confirmInWriting("Erase this person?", [
      h("p", { class: "quote", dir: "auto" }, [page.who.person, ...page.who.also].join(", ")),
      h("p", { class: "small" }, `${counted(sure.length, "sure match", "sure matches")}${ids.length ? ` and ${counted(ids.length, "likely one")} that you ticked` : ""} go, of all users and out of the backups, with kept queries that name the person. It cannot be undone. If anything of it is on hold, nothing is erased.`),
    ], "Erase permanently");
    if (!isSure) return;
    fill(verdict, notice("", "Erasing…", h("p", {}, "The memory and the backups are rewritten without the person. This may take minutes.")));
    try {
      const { certificate } = await post("/v1/subjects/erase", ids.length ? { ids } : {});
      fill(verdict, certified(certificate));
      fill(place);
      verdict.scrollIntoView({ block: "nearest" });
    } catch (error) {
      if (!signal.aborted && error.status !== 401) fill(verdict, failure(error, error.status === 0 ? search : null));
    }
  }
}

const cell = (content, kind = "") => h("td", { class: kind }, content);

function certified(found) {
  const left = [
    found.left > 0 && `${counted(found.left, "sure match is", "sure matches are")} left: erase again`,
    found.likely > 0 && `${counted(found.likely, "likely match is", "likely matches are")} left, for you to decide`,
    ...found.places.map((each) => `Left, and not changed here: ${each}`),
    found.pending && `Not finished: ${found.pending}. Erase again, and it goes on under the same certificate`,
  ].filter(Boolean);
  return [
    found.clean
      ? notice("good", "Nothing of the person is left", h("p", {}, `All users and ${counted(found.backups.length, "backup")} were searched again.`), left.length > 0 && h("ul", {}, left.map((each) => h("li", {}, sentence(each)))))
      : notice("warn", "Something is left", h("ul", {}, left.map((each) => h("li", {}, sentence(each))))),
    panel("Certificate", "Ids and numbers, never a name", facts([
      ["Certificate", h("span", { class: "row" }, h("span", { class: "id" }, found.id), copyButton(found.id, "Copy id"))],
      ["Time", when(found.at, "moment")],
      ["Erased", counted(found.erased, "memory or turn", "memories and turns")],
      ["Of", counted(found.users, "user")],
      ["Kept queries", whole(found.queries)],
      ["Backups searched", whole(found.backups.length)],
    ]), h("div", { class: "row end" }, button("Save certificate", () => download(`certificate-${found.id}.json`, `${JSON.stringify(found, null, 2)}\n`, "application/json"), { kind: "small", symbol: "file" }))),
  ];
}
