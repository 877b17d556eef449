/** A score as a bar of its parts, and the parts as numbers. */

import { h } from "./dom.js";
import { partColour, partName } from "./palette.js";

const LITTLE = 0.0005;
const number = (value) => `${value < 0 ? "−" : ""}${Math.abs(value).toFixed(3)}`;

/** The parts of a hit, and with them what was cut off because a score is never above 1, so that they sum to the score. */
function partsOf({ parts, score }) {
  const beyond = Object.values(parts ?? {}).reduce((sum, value) => sum + value, 0) - score;
  return beyond > LITTLE ? { ...parts, beyond_one: -beyond } : parts;
}

/** Parts that add, the greatest first, and parts that take away. */
function split(hit) {
  const all = Object.entries(partsOf(hit) ?? {}).filter(([, value]) => value !== 0);
  const added = all.filter(([, value]) => value > 0).sort((one, other) => other[1] - one[1]);
  return { added, taken: all.filter(([, value]) => value < 0) };
}

/** How long the longest bar is, so that bars can be compared. */
export function longest(hits) {
  return Math.max(0.0001, ...hits.map((hit) => split(hit).added.reduce((sum, [, value]) => sum + value, 0)));
}

/**
 * What was added lies side by side; what was taken away is struck out at the end of it, so that the plain part of the bar
 * is as long as the score.
 */
export function bar(hit, most) {
  const { added, taken } = split(hit);
  let off = Math.abs(taken.reduce((sum, [, value]) => sum + value, 0));
  const pieces = [];
  for (const [name, value] of added.toReversed()) {
    const lost = Math.min(off, value);
    off -= lost;
    if (lost > 0) pieces.unshift(piece("minus", "taken away", lost, most));
    if (value > lost) pieces.unshift(piece(partColour(name), partName(name), value - lost, most));
  }
  const text = [...added, ...taken].map(([name, value]) => `${partName(name)} ${number(value)}`).join(", ");
  return h("div", { class: "bar", role: "img", "aria-label": `Parts of the score: ${text || "none"}`, data: { parts: "" } }, pieces);
}

function piece(colour, name, value, most) {
  return h("i", { class: colour, title: `${name} ${value.toFixed(3)}`, style: { "inline-size": `${(100 * value) / most}%` } });
}

/** The parts as a sum. */
export function addends(hit) {
  const { added, taken } = split(hit);
  return h(
    "ul",
    { class: "addends" },
    [...added, ...taken].map(([name, value]) =>
      h("li", {}, h("i", { class: value < 0 ? "minus" : partColour(name) }), h("span", {}, partName(name)), h("span", { class: "num" }, number(value)))),
    h("li", { class: "sum" }, h("i", { class: "none", hidden: true }), h("span", { style: { "grid-column": "1 / 3" } }, "Score"), h("span", { class: "num" }, number(hit.score))),
  );
}

/** What the colours of several bars stand for. */
export function legend(hits) {
  const names = new Set(hits.flatMap((hit) => split(hit).added.map(([name]) => name)));
  const isTaken = hits.some((hit) => split(hit).taken.length);
  return h(
    "ul",
    { class: "legend" },
    [...names].map((name) => h("li", {}, h("i", { class: partColour(name) }), partName(name))),
    isTaken && h("li", {}, h("i", { class: "minus" }), "Taken away"),
  );
}
