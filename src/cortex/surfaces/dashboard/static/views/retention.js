/** Retention: the rules, what is due by them and why, and what is on hold. Everything is a plan first. */

import { LONG } from "../api.js";
import { fill, h, memoryPath } from "../dom.js";
import { counted, whole } from "../format.js";
import { button, confirmInWriting, dialog, empty, failure, field, forAdministrators, head, loaded, notice, panel, select, tiles, toast, when } from "../parts.js";

const MOST_SHOWN = 20;
/** The conditions of a rule, the weightiest first. */
const CONDITIONS = ["scope", "label", "kind", "lane"];
const FATES = [
  ["expire", "Expire", "hidden from recall, can be undone"],
  ["erase", "Erase", "removed for good"],
  ["held", "On hold", "due, but held"],
  ["kept_back", "Kept back", "turns that memories come from"],
];
const HELD = { ids: "Memories or turns", scope: "A scope", session: "A session", person: "A person" };
const ABOUT_HELD = {
  ids: "Their ids, separated by spaces or commas.",
  scope: "Everything in it, now and later.",
  session: "Its turns and what was extracted from them, now and later.",
  person: "The full name. What the person is surely or likely in, now and later.",
};

const aboutOf = (rule) => CONDITIONS.filter((name) => rule[name]).map((name) => `${name} ${rule[name]}`).join(", ") || "everything";
const isForever = (rule) => rule.keep === "forever";
/** A rule as the server names it among the counts of a user. */
const nameOf = (rule) => `${aboutOf(rule)}: keep ${rule.keep}${isForever(rule) ? "" : `, then ${rule.then}`}`;
const sizeOf = (value) => (Array.isArray(value) ? value.length : value);
const totals = (users, name) => users.reduce((sum, user) => sum + sizeOf(user[name]), 0);
const cell = (content, kind = "") => h("td", { class: kind }, content);
const headings = (names, ...numbers) => h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name)), numbers.map((name) => h("th", { scope: "col", class: "num" }, name))));

export async function showRetention(context) {
  const { api, root, signal, canAdminister } = context;
  if (!canAdminister) return void fill(root, forAdministrators("Retention"));
  const everyone = !api.acting.user;
  const verdict = h("div", { class: "stack", role: "status" });
  const [plan, holds] = [h("div", { class: "stack" }), h("div", { class: "stack" })];
  const apply = button("Apply…", start, { kind: "main-action", symbol: "check", disabled: true });
  const place = button("Place hold", hold, { symbol: "shield" });
  let due = null;
  fill(root, head("Retention", everyone ? "How long things are kept, for all users of the agent. Nothing happens here before you confirm it." : `How long things are kept of ${api.acting.user}. Nothing happens here before you confirm it.`, [place, apply]), verdict, plan, holds);

  const post = (path, body = {}) => api.post(path, { everyone, ...body }, { signal, patience: LONG });
  const loadPlan = () => loaded(plan, signal, () => post("/v1/retention"), (found) => {
    due = found;
    apply.disabled = !hasWork(found) && found.approved;
    return planned(context, found);
  });
  const loadHolds = () => loaded(holds, signal, () => api.get("/v1/holds", { everyone }, { signal }), (found) => held(found.holds, release));

  async function start() {
    const [expire, erase] = [totals(due.users, "expire"), totals(due.users, "erase")];
    const content = [
      h("ul", { class: "reasons" },
        h("li", {}, `${counted(expire, "memory or turn expires", "memories and turns expire")}. This can be undone.`),
        h("li", {}, `${counted(erase, "memory or turn is", "memories and turns are")} erased for good, with a certificate.`),
        h("li", {}, `${counted(totals(due.users, "receipts"), "receipt")} and ${counted(totals(due.users, "queries"), "kept query", "kept queries")} are removed.`)),
      !due.approved && h("p", { class: "small quiet" }, "From then on, scheduled runs erase by these rules as well."),
    ];
    const isSure = erase || !due.approved
      ? await confirmInWriting("Apply the retention rules?", content, "Apply")
      : await dialog("Apply the retention rules?", h("div", { class: "stack" }, content), (close) => [button("Cancel", () => close("")), button("Apply", () => close("yes"), { kind: "main-action" })]);
    if (!isSure) return;
    fill(verdict, notice("", "Applying the rules…"));
    try {
      fill(verdict, applied(await post("/v1/retention", { apply: true }), undo));
    } catch (error) {
      if (!signal.aborted && error.status !== 401) fill(verdict, failure(error));
    }
    await loadPlan();
  }

  async function undo(user) {
    try {
      const { restored } = await api.post("/v1/consolidate/undo", { run: user.run, ...(everyone ? { user: user.user } : {}) }, { signal });
      fill(verdict, notice("good", "Undone", h("p", {}, `${counted(restored.length, "memory or turn is", "memories and turns are")} back. Change the rule before the next run, or they expire again.`)));
      await loadPlan();
    } catch (error) {
      if (!signal.aborted && error.status !== 401) fill(verdict, failure(error));
    }
  }

  async function hold() {
    const wanted = await askedHold();
    if (wanted) await change(() => post("/v1/holds", wanted), "Hold placed");
  }

  async function release(one) {
    const done = await dialog("Release this hold?", h("div", { class: "stack" }, h("p", { class: "quote", dir: "auto" }, `${HELD[one.kind]}: ${one.values.join(", ")}`), h("p", { class: "small quiet" }, "What it holds may expire, merge and be erased again.")), (close) => [
      button("Cancel", () => close("")), button("Release", () => close("yes"), { kind: "danger main-action" }),
    ]);
    if (done) await change(() => api.delete(`/v1/holds/${encodeURIComponent(one.name)}`, { everyone: !one.user }, { signal }), "Hold released");
  }

  async function change(call, said) {
    fill(verdict);
    try {
      await call();
      toast(said);
    } catch (error) {
      if (!signal.aborted && error.status !== 401) fill(verdict, failure(error));
      return;
    }
    await Promise.all([loadHolds(), loadPlan()]);
  }

  await Promise.all([loadPlan(), loadHolds()]);
}

const hasWork = ({ users }) => ["expire", "erase", "receipts", "queries"].some((name) => totals(users, name) > 0);

// --- the plan ----------------------------------------------------------------------------------------------------------

function planned(context, found) {
  const { users, rules, approved } = found;
  const busy = users.filter((user) => ["expire", "erase", "kept_back", "held", "receipts", "queries"].some((name) => sizeOf(user[name])));
  const mine = users.find((user) => user.user === context.me?.user) ?? users[0];
  const tone = { expire: "warn", erase: "bad" };
  return [
    !approved && notice("warn", "Scheduled runs erase nothing by these rules yet", h("p", {}, "Apply them once, and scheduled runs erase by them as well.")),
    tiles(FATES.map(([name, label, about]) => ({ label, about, value: whole(totals(users, name)), tone: totals(users, name) ? tone[name] ?? "" : "" }))),
    panel("Rules", "The most specific one decides. They are in the settings file.", h("table", { class: "table rules" },
      h("caption", { class: "hidden" }, "Retention rules"),
      headings(["About", "Keep", "Then"], "Due"),
      h("tbody", {}, rules.map((rule) => h("tr", { tabindex: "-1", data: { item: "", rule: nameOf(rule) } },
        cell(h("span", { dir: "auto" }, aboutOf(rule))), cell(rule.keep), cell(!isForever(rule) && h("span", { class: ["chip", rule.then === "erase" ? "bad" : "warn"] }, rule.then)),
        cell(whole(users.reduce((sum, user) => sum + (user.rules[nameOf(rule)] ?? 0), 0)), "num")))))),
    !busy.length
      ? h("section", { class: "panel" }, empty("clock", "Nothing is due", "What is due by a rule appears here before anything happens to it."))
      : busy.length > 1 || busy[0] !== mine ? panel("By user", null, byUser(busy)) : null,
    mine && list(context, mine, rules),
  ];
}

function byUser(users) {
  const names = [...FATES.map(([name, label]) => [name, label]), ["receipts", "Receipts"], ["queries", "Queries"]];
  return h("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "What is due, by user" }, h("table", { class: "table" },
    h("caption", { class: "hidden" }, "What is due, by user"),
    headings(["User"], ...names.map(([, label]) => label)),
    h("tbody", {}, users.map((user) => h("tr", { data: { user: user.user } }, h("th", { scope: "row", dir: "auto" }, user.user), names.map(([name]) => cell(whole(sizeOf(user[name])), "num")))))));
}

/** The first of what is due of the user whose memory is shown, each with the rule that decides about it. */
function list({ api, signal, me }, user, rules) {
  const found = FATES.flatMap(([name, label]) => user[name].map((id) => [id, label, name]));
  if (!found.length) return null;
  const rows = found.slice(0, MOST_SHOWN).map(([id, label, name]) => {
    const text = h("a", { href: memoryPath(id), dir: "auto", class: "line-of-text" }, id);
    const why = h("span", { class: "small quiet", dir: "auto" });
    api.get(`/v1/memories/${encodeURIComponent(id)}`, {}, { signal }).then((trace) => {
      text.textContent = trace.text.slice(0, 300);
      const rule = rules.find((each) => CONDITIONS.every((condition) => !each[condition] || each[condition] === trace[condition]));
      fill(why, rule && nameOf(rule), rule && " · stored for longer");
    }).catch(() => {}); // its id stays
    return h("li", { tabindex: "-1", data: { item: "" } }, h("span", { class: ["chip", { expire: "warn", erase: "bad" }[name] ?? ""] }, label.toLowerCase()), h("div", {}, text, why));
  });
  const rest = found.length - rows.length;
  return panel(`Due of ${user.user === "default" ? "the default user" : user.user}`, me && rest > 0 ? `the first ${MOST_SHOWN} of ${whole(found.length)}` : null, h("ol", { class: "changes" }, rows));
}

function applied({ users }, undo) {
  const [expired, erased] = [totals(users, "expire"), totals(users, "erase")];
  const runs = users.filter((user) => user.run);
  const certificates = users.flatMap((user) => user.certificates);
  return notice("good", "The rules were applied",
    h("p", {}, `${whole(expired)} expired, ${whole(erased)} erased.`),
    runs.map((user) => h("div", {}, button(runs.length > 1 ? `Undo the expiry of ${user.user}` : "Undo the expiry", () => undo(user), { kind: "small", symbol: "undo" }))),
    certificates.length > 0 && h("p", { class: "small quiet" }, `${counted(certificates.length, "certificate")}: `, certificates.map((id) => [h("span", { class: "id" }, id), " "])));
}

// --- holds -------------------------------------------------------------------------------------------------------------

function held(holds, release) {
  const rows = holds.map((one) => h("tr", { tabindex: "-1", data: { item: "", hold: one.name } },
    cell([h("b", {}, HELD[one.kind]), " ", h("span", { dir: "auto" }, one.values.join(", "))], "whole"),
    cell(h("span", { dir: "auto" }, one.reason || h("span", { class: "quiet" }, "–"))),
    cell(h("span", { dir: "auto" }, one.user || "all users")),
    cell([when(one.at, "date"), one.by && h("small", { class: "quiet" }, ` by ${one.by}`)]),
    cell(button("Release", () => release(one), { kind: "small" }), "acts")));
  return panel("Holds", "What is on hold neither expires, merges nor is erased.", holds.length
    ? h("table", { class: "table slips" }, h("caption", { class: "hidden" }, "Holds, oldest first"), headings(["On", "Reason", "Whose memory", "Placed"], h("span", { class: "hidden" }, "Actions")), h("tbody", {}, rows))
    : h("p", { class: "small quiet" }, "Nothing is on hold."));
}

/** What to hold, asked for in a dialog; null where it was canceled. */
async function askedHold() {
  const value = h("input", { class: "input", autocomplete: "off", spellcheck: "false", dir: "auto" });
  const also = h("input", { class: "input", autocomplete: "off", spellcheck: "false", dir: "auto" });
  const reason = h("input", { class: "input", autocomplete: "off", maxlength: 200, dir: "auto" });
  const problem = h("p", { class: "small bad-text", role: "alert" });
  const names = field("Other names", also, "Nicknames, addresses, numbers; separated by commas.");
  const about = h("small", {}, ABOUT_HELD.scope);
  names.hidden = true;
  let chosen = "scope";
  const kind = select(Object.entries(HELD), chosen, { changed: (now) => {
    chosen = now;
    about.textContent = ABOUT_HELD[now];
    names.hidden = now !== "person";
  } });
  const split = (input, by) => input.value.split(by).map((each) => each.trim()).filter(Boolean);
  const valued = field("Which", value);
  valued.append(about);
  let wanted = null;
  await dialog("Place a hold", h("div", { class: "stack" }, field("Hold", kind), valued, names, field("Reason", reason, "In one line; it is shown with the hold."), problem), (close) => [
    button("Cancel", () => close("")),
    button("Place hold", () => {
      if (!value.value.trim()) return void (problem.textContent = "Say what to hold.");
      wanted = { [chosen]: chosen === "ids" ? split(value, /[\s,]+/) : value.value.trim(), reason: reason.value.trim(), ...(chosen === "person" ? { also: split(also, ",") } : {}) };
      return close("place");
    }, { kind: "main-action" }),
  ]);
  return wanted;
}
