/** Keyboard shortcuts: `/` searches, j and k move, `g` and a letter opens a view. */

const SOON = 1_200;

/** `places` are addresses by the letter that opens them after `g`. */
export function listenToKeys({ help, places }) {
  let since = 0;
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    if (isWriting(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const led = Date.now() - since < SOON ? places[event.key] : undefined;
    since = 0;
    if (led) location.hash = led;
    else if (event.key === "g") since = Date.now();
    else if (event.key === "/") toSearch();
    else if (event.key === "?") help();
    else if (event.key === "Escape") leave();
    else if (event.key === "j" || (event.key === "ArrowDown" && current())) move(1);
    else if (event.key === "k" || (event.key === "ArrowUp" && current())) move(-1);
    else if (event.key === "Enter" && document.activeElement?.matches("[data-item]")) open(document.activeElement);
    else if (event.key === "w") current()?.querySelector("[data-why]")?.click();
    else return;
    event.preventDefault();
  });
}

const isWriting = (target) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, input:not([type=radio]):not([type=checkbox])"));

function toSearch() {
  const box = document.querySelector("[role=searchbox]");
  if (!box) {
    location.hash = "#/search";
    return;
  }
  box.focus();
  box.select();
}

const current = () => document.activeElement?.closest("[data-item]");

function move(by) {
  const all = [...document.querySelectorAll("[data-item]")].filter((each) => each.offsetParent !== null);
  const at = all.indexOf(current());
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest", behavior: "smooth" });
}

const open = (item) => item.querySelector("a[href^='#/']")?.click();

function leave() {
  const folded = current()?.querySelector("[data-why][aria-expanded=true]");
  if (folded) folded.click();
  else document.activeElement?.blur();
}
