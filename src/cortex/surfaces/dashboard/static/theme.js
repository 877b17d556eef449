/** Light or dark: as the system has it, until one is chosen in this browser. */

import { fill, h } from "./dom.js";
import { icon } from "./icons.js";

const KEPT = "cortex.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

const shown = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");

/** The button that switches. */
export function themeButton() {
  const button = h("button", { class: "icon-button", type: "button", on: { click: toggle } });
  const name = () => {
    const other = shown() === "dark" ? "light" : "dark";
    button.setAttribute("aria-label", `Switch to ${other}`);
    button.title = `Switch to ${other}`;
    fill(button, icon(other === "dark" ? "moon" : "sun"));
  };
  function toggle() {
    const other = shown() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = other;
    try {
      localStorage.setItem(KEPT, other);
    } catch {
      // It then applies to this page only.
    }
    name();
  }
  dark.addEventListener("change", name);
  name();
  return button;
}
