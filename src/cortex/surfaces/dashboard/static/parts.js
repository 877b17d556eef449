/** Components shared by the views. */

import { isAbort } from "./api.js";
import { fill, h, memoryPath } from "./dom.js";
import { ago, clock, date, moment, words } from "./format.js";
import { icon } from "./icons.js";
import { kindColor, laneName } from "./palette.js";

/** A time, short, and in full on hover. */
export function when(at, as = "ago") {
  if (!at) return h("span", { class: "quiet" }, "–");
  const shown = { ago, clock, date, moment }[as](at);
  return h("time", { datetime: at, title: moment(at), data: as === "ago" ? { ago: "" } : {} }, shown);
}

/** Keep relative times such as "2 minutes ago" up to date. */
export function keepTime() {
  setInterval(() => {
    for (const each of document.querySelectorAll("time[data-ago]")) {
      const now = ago(each.dateTime);
      if (each.textContent !== now) each.textContent = now;
    }
  }, 20_000);
}

/** A heading with what it is about, and tools beside it. */
export function head(title, about, tools = [], { crumb = null } = {}) {
  return h(
    "div",
    { class: "head" },
    h("div", {}, crumb && h("p", { class: "crumb" }, crumb), h("h1", { tabindex: "-1" }, title), about && h("p", {}, about)),
    h("div", { class: "tools" }, tools),
  );
}

/** A framed part of a view. */
export function panel(title, about, ...content) {
  const heading = title && h("div", { class: "panel-head" }, h("h2", {}, title), about && (about instanceof Node ? about : h("p", {}, about)));
  return h("section", { class: "panel" }, heading, content);
}

/** A few numbers that matter: label, value, what it is about, and a tone (good, warn, bad). */
export function tiles(numbers) {
  return h("dl", { class: "tiles", style: { "--n": String(numbers.length) } }, numbers.map(({ label, value, about, tone = "" }) =>
    h("div", { class: ["tile", tone] }, h("dt", {}, label), h("dd", {}, h("b", {}, value), about && h("small", {}, about)))));
}

export function button(label, click, { kind = "", symbol = null, type = "button", ...props } = {}) {
  return h("button", { class: ["button", kind], type, on: click ? { click } : {}, ...props }, symbol && icon(symbol), h("span", {}, label));
}

/** Keep a button from being pressed until the function that this returns is called: the focus is then on it again. */
export function occupied(one) {
  const hadFocus = document.activeElement === one;
  one.disabled = true;
  return () => {
    one.disabled = false;
    if (hadFocus && [null, document.body].includes(document.activeElement)) one.focus({ preventScroll: true });
  };
}

/** A command to run, and a button that copies it. */
export function command(text) {
  return h("div", { class: "command" }, h("code", {}, text), copyButton(text, "Copy command"));
}

export function copyButton(text, name = "Copy") {
  const one = h("button", { class: "icon-button", type: "button", "aria-label": name, title: "Copy", on: { click: copy } }, icon("copy"));
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      fill(one, icon("check"));
      toast("Copied");
      setTimeout(() => fill(one, icon("copy")), 1_500);
    } catch {
      toast("Your browser blocked copying. Select the text instead.");
    }
  }
  return one;
}

/** What to do; every `command` in it can be copied. */
export function fix(text) {
  if (!text) return null;
  const commands = [...text.matchAll(/`([^`]+)`/g)].map((found) => found[1]);
  const plain = text.replaceAll("`", "");
  const isOnlyCommand = commands.length === 1 && /^(run|see|try)?\s*`[^`]+`\.?$/i.test(text.trim());
  return h("div", { class: "fixes" }, !isOnlyCommand && h("p", {}, sentence(plain)), commands.map(command));
}

/** A notice: `kind` is warn, bad, good or nothing. */
export function notice(kind, title, ...content) {
  const symbol = { warn: "warn", bad: "bad", good: "good" }[kind.split(" ")[0]] ?? "help";
  return h("div", { class: ["notice", kind], role: kind === "bad" ? "alert" : null }, icon(symbol), h("div", { class: "body" }, h("b", {}, title), content));
}

/** A failed request: the server's message, and how to go on. */
export function failure(problem, again) {
  const title = { 0: "No answer", 403: "Not allowed", 404: "Not found", 409: "Changed in the meantime", 429: "Too many requests", 503: "Server busy" }[problem.status] ?? "Request failed";
  return notice(
    problem.status === 404 ? "warn" : "bad",
    title,
    h("p", {}, sentence(problem.detail || problem.message || "Something went wrong on this page.")),
    fix(problem.hint),
    problem.requestId && h("p", { class: "quiet" }, "Request ", h("span", { class: "id" }, problem.requestId)),
    again && h("div", {}, button("Try again", again, { kind: "small" })),
  );
}

/** A message of the server with a capital and a full stop. */
export function sentence(text) {
  const trimmed = text.trim();
  const begun = /^[a-z_.]+: /.test(trimmed) ? trimmed : trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** An empty state, with what to do about it. */
export function empty(symbol, title, about, ...more) {
  return h("div", { class: "empty", data: { empty: "" } }, icon(symbol), h("h2", {}, title), about && h("p", {}, about), more);
}

export function waiting(...sizes) {
  return h("div", { class: "waiting", "aria-busy": "true", "aria-label": "Loading" , role: "status" }, (sizes.length ? sizes : ["short", "", "tall"]).map((size) => h("div", { class: ["bone", size] })));
}

/**
 * Fill `root` with the result of `load`. The first time it shows a placeholder; a failure is shown with a button to try
 * again. If `render` returns undefined, nothing changes. `title` is the heading above the placeholder and the failure.
 */
export async function loaded(root, signal, load, render, { title = null } = {}) {
  if (!root.hasChildNodes()) fill(root, title && head(title), waiting());
  try {
    const found = await load();
    if (signal.aborted) return;
    const rendered = render(found);
    if (rendered !== undefined) fill(root, rendered);
  } catch (error) {
    if (signal.aborted || isAbort(error) || error.status === 401) return;
    fill(root, title && head(title), failure(error, () => (fill(root), loaded(root, signal, load, render, { title }))));
    if (error.status === undefined) console.error(error);
  }
}

const TRUST = { untrusted: "warn", quarantined: "bad" };
const STATES = { superseded: "warn", forgotten: "bad", expired: "warn" };

/** Kind, scope, trust and state of a trace; usual values are left out. */
export function chips(trace, { dated = true } = {}) {
  return h(
    "div",
    { class: "chips" },
    h("span", { class: ["chip", "dot", kindColor(trace.kind)] }, words(trace.kind)),
    trace.lane !== "memories" && h("span", { class: "chip" }, laneName(trace.lane).toLowerCase()),
    h("span", { class: "chip", title: "Scope" }, trace.scope),
    trace.trust !== "trusted" && h("span", { class: ["chip", TRUST[trace.trust]] }, trace.trust),
    trace.state !== "active" && h("span", { class: ["chip", STATES[trace.state]] }, trace.state),
    dated && h("span", { class: "chip bare" }, when(trace.created_at, "date")),
  );
}

/** Names and values; those without a value are left out. */
export function facts(pairs) {
  const rows = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("dl", { class: "facts" }, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

/** A collapsible section. `opened` is called the first time it opens. */
export function fold(title, about, content, { open = false, opened = null } = {}) {
  const details = h("details", { class: "fold", open }, h("summary", {}, title, about && h("span", { class: "quiet" }, about)), content);
  if (opened) details.addEventListener("toggle", () => details.open && opened(), { once: true });
  return details;
}

/** One of a few: `options` are `[value, label]`. */
export function segments(name, label, options, chosen, changed) {
  return h(
    "div",
    { class: "segments", role: "radiogroup", "aria-label": label },
    options.map(([value, text]) =>
      h("label", {}, h("input", { type: "radio", name, value, checked: value === chosen, on: { change: () => changed(value) } }), h("span", {}, text)),
    ),
  );
}

export function select(options, chosen, { changed = null, ...props } = {}) {
  return h(
    "select",
    { class: "select", ...props, on: changed ? { change: (event) => changed(event.target.value) } : {} },
    options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)),
  );
}

let fields = 0;
/** A labeled field. */
export function field(label, control, about = null) {
  control.id ||= `field-${(fields += 1)}`;
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, about && h("small", {}, about));
}

/** A short message at the edge of the screen, also announced to screen readers. */
export function toast(text) {
  const holder = document.getElementById("toasts");
  const one = h("div", { class: "toast" }, text);
  holder.append(one);
  setTimeout(() => one.remove(), 4_000);
}

/** A dialog; resolves with the value of the button that closed it, or an empty string. */
export function dialog(title, content, actions, { name = title } = {}) {
  const box = h("dialog", { class: "dialog", "aria-label": name }, h("h2", {}, title), content);
  const close = (value) => box.close(value);
  box.append(h("div", { class: "actions" }, actions(close)));
  document.body.append(box);
  return new Promise((resolve) => {
    box.addEventListener("close", () => {
      box.remove();
      resolve(box.returnValue);
    });
    box.addEventListener("click", (event) => event.target === box && box.close(""));
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.target.matches("input")) return;
      event.preventDefault();
      box.querySelector(".actions .main-action")?.click();
    });
    box.showModal();
  });
}

/** A dialog for what cannot be undone: it must be confirmed in writing. Resolves with whether it was. */
export async function confirmInWriting(title, content, label, word = "erase") {
  const typed = h("input", { class: "input", type: "text", autocomplete: "off", spellcheck: "false" });
  const done = await dialog(title, h("div", { class: "stack" }, content, field(`Type “${word}” to confirm`, typed)), (close) => {
    const go = button(label, () => close("yes"), { kind: "danger main-action", disabled: true });
    typed.addEventListener("input", () => (go.disabled = typed.value.trim().toLowerCase() !== word));
    return [button("Cancel", () => close("")), go];
  });
  return done === "yes";
}

/** A view for administrators alone, where somebody else opens it. */
export const forAdministrators = (name) => [head(name), notice("", "This page is for administrators", h("p", {}, "Sign in with a token that has the right ", h("code", {}, "admin"), "."))];

/** A link to the page of a trace, by its text. */
export function traceLink(id, trace, props = {}) {
  if (trace === null) return h("span", { class: "quiet" }, "no longer available ", h("span", { class: "id" }, id));
  return h("a", { href: memoryPath(id), ...props }, trace?.text ?? h("span", { class: "id" }, id));
}
