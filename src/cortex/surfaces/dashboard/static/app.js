/** The page: its frame, its routes, and the current user. */

import { Api } from "./api.js";
import { fill, h } from "./dom.js";
import { brandMark, icon } from "./icons.js";
import { listenToKeys } from "./keys.js";
import { Live } from "./live.js";
import { button, dialog, failure, field, keepTime, notice, toast } from "./parts.js";
import { themeButton } from "./theme.js";
import { showHealth } from "./views/health.js";
import { showMemory } from "./views/memory.js";
import { showOverview } from "./views/overview.js";
import { showReceipt, showReceipts } from "./views/receipts.js";
import { showSearch } from "./views/search.js";
import { showSignIn } from "./views/signin.js";
import { showTimeline } from "./views/timeline.js";

const PLACES = [
  ["Overview", "#/", "overview"],
  ["Search", "#/search", "search"],
  ["Timeline", "#/timeline", "timeline"],
  ["Receipts", "#/receipts", "receipts"],
  ["Health", "#/health", "health"],
];

/** Each route with its view; groups of the pattern are passed to the view. */
const ROUTES = [
  [/^\/?$/, "Overview", showOverview],
  [/^\/search$/, "Search", showSearch],
  [/^\/timeline$/, "Timeline", showTimeline],
  [/^\/memory\/([^/]+)$/, "Memory", showMemory],
  [/^\/receipts$/, "Receipts", showReceipts],
  [/^\/receipts\/([^/]+)$/, "Receipt", showReceipt],
  [/^\/health$/, "Health", showHealth],
];

const api = new Api();
const live = new Live(api);
const main = document.getElementById("main");
let leaving = new AbortController();
let me = null;
let attempts = 0;

/** Show the view of the current address. */
function go({ isFirst = false } = {}) {
  if (location.hash && !location.hash.startsWith("#/")) return;
  const [path, query = ""] = location.hash.slice(1).split("?");
  const found = ROUTES.map(([route, name, show]) => [path.match(route), name, show]).find(([match]) => match);
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
  try {
    Promise.resolve(found[2](context, ...found[0].slice(1).map(decoded))).catch((error) => broken(root, error, context.signal));
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
  const place = path.startsWith("/memory") ? "" : `#/${path.split("/")[1] ?? ""}`;
  for (const link of document.querySelectorAll(".nav a")) {
    if (link.getAttribute("href") === place) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

// --- the frame -------------------------------------------------------------------------------------------------------

const liveMark = h("p", { class: "live", role: "status", data: { live: "", state: "off" } }, h("i"), h("span", {}, "Connecting"));
const whose = h("div");
const leave = h("div");

function frame() {
  fill(
    document.getElementById("side"),
    h("a", { class: "brand", href: "#/", "aria-label": "Cortex, overview" }, brandMark(), h("span", {}, "Cortex")),
    h("nav", { class: "nav", "aria-label": "Main" }, h("ul", {}, PLACES.map(([name, href, symbol]) => h("li", {}, h("a", { href }, icon(symbol), h("span", {}, name)))))),
    h("div", { class: "foot" }, liveMark, whose, h("div", { class: "foot-row" }, themeButton(), h("button", { class: "icon-button wide-only", type: "button", "aria-label": "Keyboard shortcuts", title: "Keyboard shortcuts", on: { click: showHelp } }, icon("help")), leave)),
  );
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
    [["g", "o"], "Overview"],
    [["g", "t"], "Timeline"],
    [["g", "r"], "Receipts"],
    [["g", "h"], "Health"],
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
  live.start();
  go({ isFirst });
}

function signOut() {
  api.signOut();
  me = null;
  live.stop();
  begin();
}

api.addEventListener("unauthorized", ({ detail }) => {
  if (main.querySelector("[data-signin]") && !api.isSignedIn) return;
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
addEventListener("hashchange", () => go());
listenToKeys({ help: showHelp });
keepTime();
frame();
begin({ isFirst: true });
