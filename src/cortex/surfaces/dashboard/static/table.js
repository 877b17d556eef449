/**
 * A long table: rows are loaded page by page, and only those in sight are in the document. The whole of it works by
 * keyboard: arrows or j and k move, Space selects, Shift extends, Enter opens.
 */

import { isAbort } from "./api.js";
import { fill, h } from "./dom.js";
import { settled } from "./live.js";
import { failure } from "./parts.js";

const SPARE = 8;
const AHEAD = 40;
const MOST_LOADED = 1_000;
/** The height of a row in pixels, as it was measured last. */
let rowHeight = 40;

/**
 * @typedef {object} Column
 * @property {string} key
 * @property {string} name the heading
 * @property {(row: object) => any} cell
 * @property {string} [sort] what the server calls the order
 * @property {boolean} [falls] whether the first click sorts downwards
 * @property {string} [class]
 */

/** Dispatches `select` when the selection changes, `sort` with an order, and `end` when more rows are wanted. */
export class LongTable extends EventTarget {
  #columns = [];
  #rows = [];
  #active = 0;
  #anchor = 0;
  #height = rowHeight;
  #shown = [0, 0];
  #sort = "";
  #isWhole = true;
  #canSelect;
  #open;
  #label;

  /** @param {{label: string, open: (row: object) => void, canSelect?: boolean}} options */
  constructor({ label, open, canSelect = true }) {
    super();
    this.#label = label;
    this.#open = open;
    this.#canSelect = canSelect;
    this.selected = new Map();
    /** How much of its end something else covers, in pixels. */
    this.covered = 0;
    this.head = h("tr");
    this.body = h("tbody");
    this.table = h("table", { class: "long", "aria-label": label }, h("thead", {}, this.head), this.body);
    this.element = h("div", { class: "long-frame" }, this.table);
    this.element.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.body.addEventListener("keydown", (event) => this.#key(event));
    this.body.addEventListener("focusin", (event) => this.#focused(event));
    this.body.addEventListener("click", (event) => this.#clicked(event));
    new ResizeObserver(() => this.#resized()).observe(this.element);
  }

  get rows() {
    return this.#rows;
  }

  get active() {
    return this.#rows[this.#active];
  }

  /** What the table shows, and in which order. */
  arrange(columns, sort) {
    this.#columns = columns;
    this.#sort = sort;
    fill(this.head, this.#canSelect && h("th", { class: "pick", scope: "col" }, this.#everything()), columns.map((column) => this.#heading(column)));
    this.#draw({ isForced: true });
  }

  /** Other rows from the beginning; `isWhole` says that there are no more. */
  replace(rows, isWhole, { keep = false } = {}) {
    const at = keep ? this.active?.id : null;
    this.#rows = rows;
    this.#isWhole = isWhole;
    const there = new Map(rows.map((row) => [row.id, row]));
    for (const id of [...this.selected.keys()]) {
      if (there.has(id)) this.selected.set(id, there.get(id));
      else this.selected.delete(id);
    }
    const found = at ? rows.findIndex((row) => row.id === at) : 0;
    this.#active = keep ? (found < 0 ? Math.min(this.#active, Math.max(0, rows.length - 1)) : found) : 0;
    if (!keep) this.element.scrollTop = 0;
    this.#changed();
  }

  append(rows, isWhole) {
    this.#rows = [...this.#rows, ...rows];
    this.#isWhole = isWhole;
    this.#draw({ isForced: true });
  }

  clear() {
    this.selected.clear();
    this.#changed();
  }

  /** Select these as well, which may be more than are loaded. */
  select(rows) {
    for (const row of rows) this.selected.set(row.id, row);
    this.#mark();
  }

  /** Whether every loaded row is selected, and there are others. */
  get isPart() {
    return !this.#isWhole && this.#rows.every((row) => this.selected.has(row.id));
  }

  focus() {
    this.#moveTo(this.#active);
  }

  #changed() {
    this.#draw({ isForced: true });
    this.dispatchEvent(new CustomEvent("select"));
  }

  // --- drawing -------------------------------------------------------------------------------------------------------

  #everything() {
    this.all = h("input", { type: "checkbox", "aria-label": "Select all loaded rows", on: { change: () => this.#selectAll(this.all.checked) } });
    return this.all;
  }

  #heading(column) {
    const [key, falls] = [this.#sort.replace(/^-/, ""), this.#sort.startsWith("-")];
    const isSorted = column.sort && column.sort === key;
    const next = isSorted ? `${falls ? "" : "-"}${key}` : `${column.falls ? "-" : ""}${column.sort}`;
    const name = column.sort
      ? h("button", { type: "button", class: "order", data: { sort: column.sort }, on: { click: () => this.dispatchEvent(new CustomEvent("sort", { detail: next })) } }, column.name, h("i", { class: isSorted ? (falls ? "falls" : "rises") : "", "aria-hidden": "true" }))
      : column.name;
    return h("th", { class: column.class, scope: "col", "aria-sort": isSorted ? (falls ? "descending" : "ascending") : null }, name);
  }

  #resized() {
    this.#draw({ isForced: this.#measured() });
  }

  /** Whether rows are of another height than was thought. */
  #measured() {
    const height = this.body.querySelector("tr[data-row]")?.getBoundingClientRect().height;
    if (!height || Math.abs(height - this.#height) <= 0.5) return false;
    this.#height = rowHeight = height;
    return true;
  }

  #draw({ isForced = false } = {}) {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / this.#height) - SPARE);
    const last = Math.min(this.#rows.length, Math.ceil((scrollTop + (clientHeight || 600)) / this.#height) + SPARE);
    if (!this.#isWhole && last + AHEAD >= this.#rows.length) this.dispatchEvent(new CustomEvent("end"));
    if (!isForced && first === this.#shown[0] && last === this.#shown[1]) return;
    this.#shown = [first, last];
    const isHeld = this.body.contains(document.activeElement);
    fill(this.body, this.#gap(first), this.#rows.slice(first, last).map((row, at) => this.#row(row, first + at)), this.#gap(this.#rows.length - last));
    this.table.setAttribute("aria-rowcount", String(this.#isWhole ? this.#rows.length + 1 : -1));
    // The row itself may be gone; another is then in its place.
    if (isHeld && !this.body.contains(document.activeElement)) this.#at(this.#active)?.focus({ preventScroll: true });
    this.#boxes();
    if (this.#measured()) this.#draw({ isForced: true });
  }

  #gap(rows) {
    return rows > 0 && h("tr", { class: "gap", "aria-hidden": "true" }, h("td", { colspan: this.#columns.length + 1, style: { "block-size": `${rows * this.#height}px` } }));
  }

  #row(row, at) {
    const isPicked = this.selected.has(row.id);
    return h(
      "tr",
      { tabindex: at === this.#active ? "0" : "-1", class: [row.isOver ? "over" : "", isPicked ? "picked" : ""], "aria-rowindex": at + 2, "aria-selected": this.#canSelect ? String(isPicked) : null, data: { row: at, item: row.id, id: row.id } },
      this.#canSelect && h("td", { class: "pick" }, h("input", { type: "checkbox", tabindex: "-1", checked: isPicked, "aria-label": "Select this row" })),
      this.#columns.map((column) => h("td", { class: column.class }, column.cell(row))),
    );
  }

  #at(at) {
    return this.body.querySelector(`tr[data-row="${at}"]`);
  }

  // --- moving and selecting ------------------------------------------------------------------------------------------

  #focused(event) {
    const row = event.target.closest("tr[data-row]");
    if (!row || Number(row.dataset.row) === this.#active) return;
    this.#at(this.#active)?.setAttribute("tabindex", "-1");
    this.#active = Number(row.dataset.row);
    row.setAttribute("tabindex", "0");
  }

  #moveTo(at) {
    if (!this.#rows.length) return;
    const next = Math.min(Math.max(at, 0), this.#rows.length - 1);
    const heading = this.head.getBoundingClientRect().height;
    const [top, bottom] = [next * this.#height, (next + 1) * this.#height + heading];
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (bottom + this.covered > this.element.scrollTop + this.element.clientHeight) this.element.scrollTop = bottom + this.covered - this.element.clientHeight;
    this.#active = next;
    this.#draw({ isForced: !this.#at(next) });
    this.#at(next)?.focus({ preventScroll: true });
  }

  #key(event) {
    const isHeld = event.ctrlKey || event.altKey || event.metaKey;
    const isAll = event.key === "a" && (event.ctrlKey || event.metaKey);
    if (event.target.matches("a, button") || (isHeld && !isAll)) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#height) - 2);
    const steps = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -this.#rows.length, End: this.#rows.length };
    if (event.key in steps) {
      const before = this.#active;
      this.#moveTo(this.#active + steps[event.key]);
      if (event.shiftKey && this.#canSelect) this.#range(before, this.#active, true);
      else this.#anchor = this.#active;
    } else if ([" ", "x"].includes(event.key) && this.#canSelect) this.#toggle(this.#active);
    else if (isAll && this.#canSelect) this.#selectAll(true);
    else if (event.key === "Enter" && this.active) this.#open(this.active);
    else if (event.key === "Escape" && this.selected.size) this.clear();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #clicked(event) {
    const row = event.target.closest("tr[data-row]");
    if (!row || event.target.closest("a, button")) return;
    const at = Number(row.dataset.row);
    if (this.#canSelect && (event.target.closest(".pick") || event.shiftKey || event.ctrlKey || event.metaKey)) {
      if (event.shiftKey) {
        getSelection()?.removeAllRanges();
        this.#range(this.#anchor, at, true);
      } else this.#toggle(at);
      return;
    }
    if (getSelection()?.toString()) return; // somebody selects text
    this.#anchor = at;
    this.#open(this.#rows[at]);
  }

  #toggle(at) {
    const row = this.#rows[at];
    if (!row) return;
    if (this.selected.has(row.id)) this.selected.delete(row.id);
    else this.selected.set(row.id, row);
    this.#anchor = at;
    this.#mark();
  }

  #range(from, to, isOn) {
    for (const row of this.#rows.slice(Math.min(from, to), Math.max(from, to) + 1)) {
      if (isOn) this.selected.set(row.id, row);
      else this.selected.delete(row.id);
    }
    this.#mark();
  }

  #selectAll(isOn) {
    this.#range(0, this.#rows.length - 1, isOn);
  }

  /** Show the selection without building the rows again, so that the focus stays where it is. */
  #mark() {
    for (const row of this.body.querySelectorAll("tr[data-row]")) {
      const isPicked = this.selected.has(row.dataset.id);
      row.classList.toggle("picked", isPicked);
      row.setAttribute("aria-selected", String(isPicked));
      row.querySelector(".pick input").checked = isPicked;
    }
    this.#boxes();
    this.dispatchEvent(new CustomEvent("select"));
  }

  #boxes() {
    if (!this.all) return;
    this.all.checked = this.selected.size > 0 && this.selected.size >= this.#rows.length;
    this.all.indeterminate = this.selected.size > 0 && this.selected.size < this.#rows.length;
  }
}

/**
 * Fill a table page by page: the first page now and by the function that this returns, further ones as they come into sight.
 *
 * @param {LongTable} table
 * @param {object} options
 * @param {(after: string|undefined, limit: number) => Promise<{rows: object[], next: any}>} options.load one page
 * @param {(found: object, isCurrent: () => boolean) => any} options.shown called after a first page; what it returns is
 *   shown in `place`, such as that there is nothing
 * @param {HTMLElement} options.place where failures are shown
 */
export function paged(table, { load, shown, place, signal, page = 100 }) {
  let [next, run, isLoading] = [null, 0, false];
  const isOver = (mine) => mine !== run || signal.aborted;
  const failed = (error, again) => !isAbort(error) && error.status !== 401 && fill(place, failure(error, again));

  async function again({ keep = false } = {}) {
    const mine = (run += 1);
    table.element.setAttribute("aria-busy", "true");
    try {
      const found = await load(undefined, keep ? Math.min(MOST_LOADED, Math.max(page, table.rows.length)) : page);
      if (isOver(mine)) return;
      next = found.next;
      table.replace(found.rows, next === null, { keep });
      table.element.hidden = !found.rows.length;
      fill(place, shown(found, () => !isOver(mine)));
    } catch (error) {
      if (isOver(mine)) return;
      table.element.hidden = true;
      failed(error, () => again());
    } finally {
      if (mine === run) table.element.removeAttribute("aria-busy");
    }
  }

  async function more() {
    if (next === null || isLoading) return;
    const mine = run;
    isLoading = true;
    try {
      const found = await load(next, 2 * page);
      if (isOver(mine)) return;
      next = found.next;
      table.append(found.rows, next === null);
    } catch (error) {
      if (!isOver(mine)) failed(error, () => (fill(place), more()));
    } finally {
      isLoading = false;
    }
  }

  table.addEventListener("end", more);
  return again;
}

/** A box that filters a table as somebody types; Enter and the arrow down lead into the rows. */
export function filterBox(table, { label, value, most, signal, changed }) {
  const box = h("input", { class: "input", type: "search", role: "searchbox", "aria-label": label, placeholder: label, value, autocomplete: "off", spellcheck: "false", maxlength: most, dir: "auto" });
  let last = value;
  box.addEventListener("input", settled(() => box.value !== last && changed((last = box.value)), signal, { quiet: 220, most: 800 }));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || (event.key === "ArrowDown" && table.rows.length)) (event.preventDefault(), table.focus());
  });
  return box;
}
