/** Line icons of our own, on a grid of 24. */

import { svg } from "./dom.js";

const PATHS = {
  overview: ["M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z"],
  search: ["M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z", "m15.5 15.5 4.5 4.5"],
  timeline: ["M12 7v5l3 2", "M12 21a9 9 0 1 0-9-9", "M3 7v5h5"],
  receipts: ["M6 3h12v18l-3-2-3 2-3-2-3 2z", "M9.5 8h5M9.5 12h5"],
  usage: ["M4 20V4M4 20h16", "M8.5 16v-4M13 16V8M17.5 16v-6"],
  jobs: ["M12 15.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z", "M12 2.5v3M12 18.5v3M2.5 12h3M18.5 12h3M5.3 5.3l2.1 2.1M16.6 16.6l2.1 2.1M5.3 18.7l2.1-2.1M16.6 7.4l2.1-2.1"],
  alerts: ["M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15z", "M10 21h4"],
  grades: ["m12 4 2.4 5 5.6.7-4.1 3.8 1.1 5.5-5-2.7-5 2.7 1.1-5.5L4 9.7 9.6 9z"],
  drift: ["M3 8c3-4 6-4 9 0s6 4 9 0", "M3 16c3-4 6-4 9 0s6 4 9 0"],
  backups: ["M12 10c4.4 0 8-1.3 8-3s-3.6-3-8-3-8 1.3-8 3 3.6 3 8 3z", "M4 7v10c0 1.7 3.6 3 8 3s8-1.3 8-3V7", "M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3"],
  canary: ["M9 3h6M10 3v6l-5.5 9.5A1.7 1.7 0 0 0 6 21h12a1.7 1.7 0 0 0 1.5-2.5L14 9V3", "M7.5 15h9"],
  history: ["M6 4v16", "M6 5h12l-3 4 3 4H6"],
  memories: ["M4 5h16v4H4zM4 13h16v6H4z", "M8 16h5"],
  more: ["M5 12h.01M12 12h.01M19 12h.01"],
  health: ["M3 12h4l2.5-6 4.5 12 2.5-6H21"],
  sun: ["M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1"],
  moon: ["M20 14.2A8.2 8.2 0 0 1 9.8 4 8.2 8.2 0 1 0 20 14.2z"],
  help: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M9.6 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1.1.9-1.1 1.7", "M12 16.6v.1"],
  out: ["M10 4H5v16h5", "M15 8l4 4-4 4M19 12H9"],
  copy: ["M9 9h11v11H9z", "M15 9V4H4v11h5"],
  check: ["m5 12.5 4.5 4.5L19 7.5"],
  good: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "m8 12.3 2.8 2.8L16 9.6"],
  warn: ["M12 4 2.8 20h18.4z", "M12 10v4.5M12 17.2v.1"],
  bad: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "m9 9 6 6M15 9l-6 6"],
  chevron: ["m9 6 6 6-6 6"],
  plus: ["M12 5v14M5 12h14"],
  pen: ["M4 20l1-4L16 5l3 3L8 19z", "m13.5 7.5 3 3"],
  swap: ["M4 8h13l-3-3M20 16H7l3 3"],
  repeat: ["M4 11a6 6 0 0 1 6-6h9l-3-3M20 13a6 6 0 0 1-6 6H5l3 3"],
  merge: ["M6 4v5c0 3 6 3 6 7v4M18 4v5c0 3-6 3-6 7"],
  clash: ["M5 12h14M8 8l-4 4 4 4M16 8l4 4-4 4", "M12 4v16"],
  bin: ["M5 7h14M10 4h4M7 7l1 13h8l1-13"],
  undo: ["M4 9h11a5 5 0 0 1 0 10h-4", "M8 5 4 9l4 4"],
  memories: ["M4 5h16M4 10h16M4 15h16M4 20h10"],
  clock: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M12 7v5l3 2"],
  chat: ["M4 5h16v11H9l-5 4z"],
  file: ["M6 3h8l4 4v14H6z", "M14 3v4h4"],
  inbox: ["M4 13 7 5h10l3 8v6H4z", "M4 13h5l1 2.5h4l1-2.5h5"],
  spark: ["M12 3v4M12 17v4M3 12h4M17 12h4M6 6l2.5 2.5M15.5 15.5 18 18M6 18l2.5-2.5M15.5 8.5 18 6"],
  user: ["M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M4.5 20c1-3.5 4-5 7.5-5s6.5 1.5 7.5 5"],
  shield: ["M12 3l7.5 3v5.5c0 4.5-3 8-7.5 9.5-4.5-1.5-7.5-5-7.5-9.5V6z"],
};

/** The icon called `name`, hidden from screen readers. */
export function icon(name) {
  return svg(
    "svg",
    {
      viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": 1.7, "stroke-linecap": "round",
      "stroke-linejoin": "round", "aria-hidden": "true", focusable: "false", width: 18, height: 18,
    },
    (PATHS[name] ?? PATHS.spark).map((path) => svg("path", { d: path })),
  );
}

/** The mark of Cortex. */
export function brandMark() {
  return svg(
    "svg",
    { viewBox: "0 0 32 32", "aria-hidden": "true", focusable: "false" },
    svg("rect", { width: 32, height: 32, rx: 8, fill: "currentColor" }),
    svg("path", { class: "on", d: "M21.6 10.4a8 8 0 1 0 0 11.2", "stroke-width": 3, "stroke-linecap": "round" }),
    svg("circle", { class: "dot", cx: 16, cy: 16, r: 2.6 }),
  );
}
