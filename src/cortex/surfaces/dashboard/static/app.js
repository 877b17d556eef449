/** The page: its frame, its routes, and the current user. */

import { Api, Problem, UNREACHABLE } from "./api.js";
import { fill, h } from "./dom.js";
import { brandMark, icon } from "./icons.js";
import { countInbox } from "./inbox_count.js";
import { listenToKeys } from "./keys.js";
import { Live } from "./live.js";
import { button, dialog, failure, field, keepTime, notice, toast } from "./parts.js";
import { themeButton } from "./theme.js";
import { showSignIn } from "./views/signin.js";

/**
 * The navigation in groups: name, address, icon, the letter that opens it after `g`, and whether it is in the bar of a
 * phone (four at most; the rest is behind "More").
 */
const PLACES = [
  ["", [
    ["Overview", "#/", "overview", "o", true],
    ["Search", "#/search", "search", "s", true],
  ]],
  ["Memory", [
    ["Inbox", "#/inbox", "inbox", "i"],
    ["Memories", "#/memories", "memories", "m", true],
    ["Conversations", "#/conversations", "chat", "v"],
    ["Files", "#/files", "file", "f"],
    ["Timeline", "#/timeline", "timeline", "t"],
  ]],
  ["Activity", [
    ["Receipts", "#/receipts", "receipts", "r", true],
    ["Digest", "#/digest", "file", "w"],
    ["Usage", "#/usage", "usage", "u"],
    ["Jobs", "#/jobs", "jobs", "j"],
  ]],
  ["Operations", [
    ["Health", "#/health", "health", "h"],
    ["Alerts", "#/alerts", "alerts", "a"],
    ["Grades", "#/grades", "grades", "e"],
    ["Drift", "#/drift", "drift", "d"],
    ["Canary", "#/canary", "canary", "c"],
    ["Backups", "#/backups", "backups", "b"],
    ["Tags", "#/tags", "history", "p"],
    ["Retention", "#/retention", "clock", "k"],
    ["Person", "#/person", "user", "y"],
  ]],
];

/**
 * Each route with its title, and the script and the function of its view, which gets the groups of the pattern. A script is
 * loaded when its view is first opened: a phone loads what it shows.
 */
const ROUTES = [
  [/^\/?$/, "Overview", () => import("./views/overview.js"), "showOverview"],
  [/^\/search$/, "Search", () => import("./views/search.js"), "showSearch"],
  [/^\/inbox$/, "Inbox", () => import("./views/inbox.js"), "showInbox"],
  [/^\/timeline$/, "Timeline", () => import("./views/timeline.js"), "showTimeline"],
  [/^\/memories$/, "Memories", () => import("./views/memories.js"), "showMemories"],
  [/^\/conversations$/, "Conversations", () => import("./views/conversations.js"), "showConversations"],
  [/^\/conversations\/([^/]+)$/, "Conversation", () => import("./views/conversations.js"), "showConversation"],
  [/^\/files$/, "Files", () => import("./views/files.js"), "showFiles"],
  [/^\/files\/([^/]+)$/, "File", () => import("./views/files.js"), "showFile"],
  [/^\/memory\/([^/]+)$/, "Memory", () => import("./views/memory.js"), "showMemory"],
  [/^\/receipts$/, "Receipts", () => import("./views/receipt_log.js"), "showReceipts"],
  [/^\/receipts\/([^/]+)$/, "Receipt", () => import("./views/receipts.js"), "showReceipt"],
  [/^\/receipts\/([^/]+)\/compare\/([^/]+)$/, "Two recalls", () => import("./views/comparison.js"), "showComparison"],
  [/^\/digest$/, "Digest", () => import("./views/digest.js"), "showDigest"],
  [/^\/usage$/, "Usage", () => import("./views/usage.js"), "showUsage"],
  [/^\/jobs$/, "Jobs", () => import("./views/jobs.js"), "showJobs"],
  [/^\/health$/, "Health", () => import("./views/health.js"), "showHealth"],
  [/^\/alerts$/, "Alerts", () => import("./views/alerts.js"), "showAlerts"],
  [/^\/grades$/, "Grades", () => import("./views/grades.js"), "showGrades"],
  [/^\/drift$/, "Drift", () => import("./views/drift.js"), "showDrift"],
  [/^\/canary$/, "Canary", () => import("./views/canary.js"), "showCanary"],
  [/^\/backups$/, "Backups", () => import("./views/backups.js"), "showBackups"],
  [/^\/tags$/, "Tags", () => import("./views/history.js"), "showHistory"],
  [/^\/tags\/([^/]+)$/, "Since a tag", () => import("./views/history.js"), "showTag"],
  [/^\/retention$/, "Retention", () => import("./views/retention.js"), "showRetention"],
  [/^\/person$/, "Person", () => import("./views/person.js"), "showPerson"],
];

/** How long live updates wait for the first view, in milliseconds. */
const LONGEST_ALONE = 2_000;

const api = new Api();
const live = new Live(api);
const main = document.getElementById("main");
let leaving = new AbortController();
let me = null;
let attempts = 0;

/** The route of a path with the match of its pattern first. */
const routeOf = (path) => ROUTES.map(([pattern, ...route]) => [path.match(pattern), ...route]).find(([match]) => match);
const here = () => location.hash.slice(1).split("?");

/** Show the view of the current address, and resolve once it is shown. */
async function go({ isFirst = false } = {}) {
  if (location.hash && !location.hash.startsWith("#/")) return;
  const [path, query = ""] = here();
  const found = routeOf(path);
  leaving.abort();
  leaving = new AbortController();
  mark(path);
  const root = h("div", { class: "view" });
  fill(main, root);
  document.title = `${found ? found[1] : "Not found"} · Cortex`;
  if (!isFirst) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  const context = {
    api, live, root, me, signal: leaving.signal, query: new URLSearchParams(query),
    title: (name) => (document.title = `${name} · Cortex`),
    canWrite: !me || me.rights.includes("write") || me.rights.includes("admin"),
    canAdminister: !me || me.rights.includes("admin"),
  };
  if (!found) {
    fill(root, h("h1", {}, "Not found"), notice("warn", "This page does not exist", h("p", {}, h("a", { href: "#/" }, "Go to the overview"))));
    return;
  }
  const [match, , load, show] = found;
  try {
    const view = await load().catch(() => {
      throw new Problem(UNREACHABLE);
    });
    if (!context.signal.aborted) await view[show](context, ...match.slice(1).map(decoded));
  } catch (error) {
    broken(root, error, context.signal);
  }
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function broken(root, error, signal) {
  if (signal.aborted || error.status === 401) return;
  if (error.status === undefined) console.error(error);
  fill(root, h("h1", { class: "hidden" }, "Error"), failure(error, () => go()));
}

function mark(path) {
  const place = path.startsWith("/memory/") ? "#/memories" : `#/${path.split("/")[1] ?? ""}`;
  for (const link of document.querySelectorAll(".nav a")) {
    if (link.getAttribute("href") === place) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest" });
    } else link.removeAttribute("aria-current");
  }
}

// --- the frame -------------------------------------------------------------------------------------------------------

const liveMark = h("p", { class: "live", role: "status", data: { live: "", state: "off" } }, h("i"), h("span", {}, "Connecting"));
const whose = h("div");
const leave = h("div");
let more = null;

function frame() {
  fill(
    document.getElementById("side"),
    h("a", { class: "brand", href: "#/", "aria-label": "Cortex, overview" }, brandMark(), h("span", {}, "Cortex")),
    navigation(),
    h("div", { class: "foot" }, liveMark, whose, h("div", { class: "foot-row" }, themeButton(), h("button", { class: "icon-button wide-only", type: "button", "aria-label": "Keyboard shortcuts", title: "Keyboard shortcuts", on: { click: showHelp } }, icon("help")), leave)),
  );
}

function navigation() {
  const link = ([name, href, symbol, , isOnPhone]) => h("li", { class: isOnPhone ? "" : "further" }, h("a", { href }, icon(symbol), h("span", {}, name)));
  const group = ([name, places], at) => h("div", { class: "group" },
    name && h("h2", { id: `places-${at}` }, name),
    h("ul", name ? { "aria-labelledby": `places-${at}` } : {}, places.map(link)));
  more = h("button", { class: "more", type: "button", "aria-expanded": "false", on: { click: () => openAll(more.getAttribute("aria-expanded") === "false") } }, icon("more"), h("span", {}, "More"));
  return h("nav", { class: "nav", "aria-label": "Main" }, PLACES.map(group), more);
}

/** On a phone: show every place, or only the bar. */
function openAll(isOpen) {
  more.setAttribute("aria-expanded", String(isOpen));
  more.lastChild.textContent = isOpen ? "Less" : "More";
  more.parentElement.classList.toggle("open", isOpen);
}

function showWhose() {
  fill(leave, api.isSignedIn && h("button", { class: "icon-button", type: "button", "aria-label": "Sign out", title: "Sign out", on: { click: signOut } }, icon("out")));
  if (!me) return fill(whose);
  const content = [h("b", { title: "Agent" }, me.agent), h("span", { title: "User" }, me.user === "default" ? "default user" : me.user)];
  const mayChoose = me.rights.includes("admin");
  return fill(whose, mayChoose
    ? h("button", { class: ["whose", Object.keys(api.acting).length ? "other" : ""], type: "button", "aria-label": `Memory of agent ${me.agent}, user ${me.user}. Switch to another.`, title: "Current memory", on: { click: choose } }, content)
    : h("p", { class: "whose", title: "Current memory" }, content));
}

/** Switch to the memory of another agent or user. */
async function choose() {
  const agent = h("input", { class: "input", value: me.agent, autocomplete: "off", spellcheck: "false" });
  const user = h("input", { class: "input", value: me.user, autocomplete: "off", spellcheck: "false" });
  const done = await dialog(
    "Switch memory",
    h("div", { class: "stack" }, h("p", { class: "small quiet" }, "Administrators can view the memory of other agents and users."), me.token !== null && field("Agent", agent), field("User", user)),
    (close) => [button("Reset", () => close("reset"), { kind: "plain" }), button("Switch", () => close("show"), { kind: "main-action" })],
  );
  if (!done) return;
  api.actFor(done === "reset" ? {} : { agent: me.token === null ? undefined : agent.value.trim(), user: user.value.trim() });
  await begin();
}

function showHelp() {
  const keys = [
    [["/"], "Search"],
    [["j"], "Next hit, event or row"],
    [["k"], "Previous hit, event or row"],
    [["Enter"], "Open"],
    [["w"], "Explain this hit"],
    [["a", "e", "x", "r", "m", "s", "u"], "In the inbox: approve, edit, reject, rule, merge, snooze, undo"],
    ...PLACES.flatMap(([, places]) => places).filter(([, , , key]) => key).map(([name, , , key]) => [["g", key], name]),
    [["Esc"], "Close, or leave a field"],
    [["?"], "This help"],
  ];
  const list = h("dl", { class: "shortcuts" }, keys.map(([names, about]) => [h("dt", {}, names.map((name) => h("kbd", {}, name))), h("dd", {}, about)]));
  return dialog("Keyboard shortcuts", list, (close) => button("Close", () => close("")));
}

const LINKS = {
  live: "Live",
  waiting: "Reconnecting",
  off: "Offline",
};

live.addEventListener("link", ({ detail }) => {
  liveMark.dataset.state = detail;
  liveMark.lastChild.textContent = LINKS[detail];
});
live.addEventListener("state", ({ detail }) => {
  const busy = (detail.jobs?.running ?? 0) + (detail.jobs?.waiting ?? 0);
  const text = busy ? `Live · ${busy} ${busy === 1 ? "job" : "jobs"}` : "Live";
  if (liveMark.lastChild.textContent !== text) liveMark.lastChild.textContent = text;
});

// --- the user --------------------------------------------------------------------------------------------------------

/** Ask the server for the current user, then show the view. */
async function begin({ isFirst = false } = {}) {
  const mine = (attempts += 1);
  routeOf(here()[0])?.[2]().catch(() => {}); // the script of the view, meanwhile
  try {
    me = await api.get("/v1/me");
  } catch (error) {
    if (mine !== attempts || error.status === 401) return;
    me = null;
    if (error.status === 403 && Object.keys(api.acting).length) {
      // Not allowed: back to the caller's own memory.
      api.actFor();
      toast("You have no access to that memory.");
      begin();
      return;
    }
  }
  if (mine !== attempts) return;
  showWhose();
  // The server has the first view to answer before it sums up its state, which takes longer.
  await Promise.race([go({ isFirst }), new Promise((done) => setTimeout(done, LONGEST_ALONE))]);
  if (mine === attempts) live.start();
}

function signOut() {
  api.signOut();
  me = null;
  live.stop();
  begin();
}

api.addEventListener("unauthorized", ({ detail }) => {
  if (main.querySelector("[data-signin]") && !api.isSignedIn) return;
  attempts += 1;
  leaving.abort();
  leaving = new AbortController();
  live.stop();
  const hadToken = api.isSignedIn;
  api.signOut();
  me = null;
  showWhose();
  liveMark.lastChild.textContent = "Signed out";
  document.title = "Sign in · Cortex";
  const root = h("div", { class: "view" });
  fill(main, root);
  showSignIn(root, hadToken ? detail : null, (token) => {
    api.signIn(token);
    begin();
  });
});

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => {
  openAll(false);
  go();
});
addEventListener("keydown", (event) => event.key === "Escape" && openAll(false));
addEventListener("click", (event) => !event.target.closest?.(".nav") && openAll(false));
listenToKeys({ help: showHelp, places: Object.fromEntries(PLACES.flatMap(([, places]) => places).filter(([, , , key]) => key).map(([, href, , key]) => [key, href])) });
keepTime();
frame();
countInbox(api, live, new AbortController().signal);
begin({ isFirst: true });
