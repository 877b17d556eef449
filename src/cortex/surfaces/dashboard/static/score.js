/** A score as a bar of its parts, and as numbers. */

import { h } from "./dom.js";
import { partColor, partName } from "./palette.js";

const LITTLE = 0.0005;
const number = (value) => `${value < 0 ? "−" : ""}${Math.abs(value).toFixed(3)}`;

/** The parts of a hit. A score is capped at 1: what was cut off is a negative part, so that they sum to the score. */
function partsOf({ parts, score }) {
  const beyond = Object.values(parts ?? {}).reduce((sum, value) => sum + value, 0) - score;
  return beyond > LITTLE ? { ...parts, beyond_one: -beyond } : parts;
}

/** Positive parts, largest first, and negative parts. */
function split(hit) {
  const all = Object.entries(partsOf(hit) ?? {}).filter(([, value]) => value !== 0);
  const added = all.filter(([, value]) => value > 0).sort((one, other) => other[1] - one[1]);
  return { added, deducted: all.filter(([, value]) => value < 0) };
}

/** The length of the longest bar, so that bars can be compared. */
export function longest(hits) {
  return Math.max(0.0001, ...hits.map((hit) => split(hit).added.reduce((sum, [, value]) => sum + value, 0)));
}

/**
 * Positive parts are side by side. Deductions are struck out at the end, so that the rest of the bar is as long as the
 * score.
 */
export function bar(hit, most) {
  const { added, deducted } = split(hit);
  let off = Math.abs(deducted.reduce((sum, [, value]) => sum + value, 0));
  const pieces = [];
  for (const [name, value] of added.toReversed()) {
    const lost = Math.min(off, value);
    off -= lost;
    if (lost > 0) pieces.unshift(piece("minus", "deducted", lost, most));
    if (value > lost) pieces.unshift(piece(partColor(name), partName(name), value - lost, most));
  }
  const text = [...added, ...deducted].map(([name, value]) => `${partName(name)} ${number(value)}`).join(", ");
  return h("div", { class: "bar", role: "img", "aria-label": `Score parts: ${text || "none"}`, data: { parts: "" } }, pieces);
}

function piece(color, name, value, most) {
  return h("i", { class: color, title: `${name} ${value.toFixed(3)}`, style: { "inline-size": `${(100 * value) / most}%` } });
}

/** The parts as a sum. */
export function addends(hit) {
  const { added, deducted } = split(hit);
  return h(
    "ul",
    { class: "addends" },
    [...added, ...deducted].map(([name, value]) =>
      h("li", {}, h("i", { class: value < 0 ? "minus" : partColor(name) }), h("span", {}, partName(name)), h("span", { class: "num" }, number(value)))),
    h("li", { class: "sum" }, h("i", { class: "none", hidden: true }), h("span", { style: { "grid-column": "1 / 3" } }, "Score"), h("span", { class: "num" }, number(hit.score))),
  );
}

/** The legend of several bars. */
export function legend(hits) {
  const names = new Set(hits.flatMap((hit) => split(hit).added.map(([name]) => name)));
  const hasDeductions = hits.some((hit) => split(hit).deducted.length);
  return h(
    "ul",
    { class: "legend" },
    [...names].map((name) => h("li", {}, h("i", { class: partColor(name) }), partName(name))),
    hasDeductions && h("li", {}, h("i", { class: "minus" }), "Deducted"),
  );
}
