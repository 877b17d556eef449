/**
 * Builds elements from values. Text always becomes a text node, and links stay on this page: memories may come from
 * anywhere, so they are shown and never run.
 */

const SVG = "http://www.w3.org/2000/svg";
const SAFE_ATTRIBUTES = new Set([
  "id", "for", "type", "name", "value", "placeholder", "title", "role", "tabindex", "open", "checked", "selected",
  "disabled", "hidden", "required", "autocomplete", "autofocus", "spellcheck", "maxlength", "min", "max", "step", "rows",
  "list", "datetime", "scope", "colspan", "lang", "dir", "inputmode", "enterkeyhint",
]);

/**
 * An element. `props` may hold `class`, `style` (an object of properties), `data` (data attributes), `on` (listeners),
 * `href` (only `#/…`), `aria-…`, and the attributes named above.
 *
 * @param {string} tag
 * @param {Object<string, any>} [props]
 * @param {...any} children nodes, strings, numbers, arrays of them; nothing for null and false
 * @returns {HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  return built(document.createElement(tag), props, children);
}

/** An SVG element; every attribute is one of ours. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  append(element, children);
  return element;
}

/** Everything in `parent` replaced by `children`. A control that is built anew keeps the focus. */
export function fill(parent, ...children) {
  const again = focused(parent);
  parent.replaceChildren();
  append(parent, children);
  again?.()?.focus({ preventScroll: true });
  return parent;
}

/** What finds the control that now has the focus once all in `parent` was built anew; null if none there has it. */
function focused(parent) {
  const held = document.activeElement;
  if (held === parent || !parent.contains(held)) return null;
  const name = nameOf(held);
  const namesakes = () => controls(parent).filter((each) => nameOf(each) === name);
  const before = namesakes();
  const isAlone = controls(parent).length === 1 && !held.closest("[data-item]");
  return () => {
    if (parent.contains(held)) return held;
    const [all, now] = [controls(parent), namesakes()];
    if (now.length === before.length) return now[before.indexOf(held)];
    return isAlone && all.length === 1 ? all[0] : null; // such as one that says how many there are
  };
}

const controls = (parent) => [...parent.querySelectorAll("a, button, input, select, textarea, summary, [tabindex]")];

/** What tells a control from the others of its view: the item it belongs to, and where it leads or what it is called. */
function nameOf(control) {
  const item = control.closest("[data-item]");
  const isItem = item === control && item.dataset.item; // what it says may change
  const label = isItem ? "" : control.getAttribute("href") ?? control.getAttribute("aria-label") ?? (control.labels?.[0] ?? control).textContent;
  return JSON.stringify([item?.dataset.item, control.tagName, control.type, label]);
}

function built(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = [value].flat().filter(Boolean).join(" ");
    else if (name === "style") for (const [key, each] of Object.entries(value)) element.style.setProperty(key, each);
    else if (name === "data") for (const [key, each] of Object.entries(value)) element.dataset[key] = String(each);
    else if (name === "on") for (const [key, each] of Object.entries(value)) element.addEventListener(key, each);
    else if (name === "href") element.setAttribute("href", inside(value));
    else if (name.startsWith("aria-")) element.setAttribute(name, String(value));
    else if (SAFE_ATTRIBUTES.has(name)) element.setAttribute(name, value === true ? "" : String(value));
    else throw new TypeError(`no attribute that is set here: ${name}`);
  }
  append(element, children);
  return element;
}

function inside(href) {
  if (!String(href).startsWith("#/")) throw new TypeError("a link leads out of the page");
  return String(href);
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === true) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Where a memory is shown. */
export const memoryPath = (id) => `#/memory/${encodeURIComponent(id)}`;
/** Where a receipt is shown. */
export const receiptPath = (id) => `#/receipts/${encodeURIComponent(id)}`;

/** Hand a text to the person as a file. It is made here and leaves for nowhere. */
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
