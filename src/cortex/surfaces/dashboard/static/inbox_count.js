/** How many items of the inbox are left for today, beside its link. */

import { h } from "./dom.js";
import { counted } from "./format.js";
import { settled } from "./live.js";

/** The number of items for today, in the navigation beside its link. */
export function countInbox(api, live, signal) {
  const count = async () => {
    const link = document.querySelector(".nav a[href='#/inbox']");
    if (!link) return;
    let number = 0;
    try {
      number = (await api.get("/v1/inbox", { limit: 1 }, { signal })).left_today;
    } catch {
      return; // the live mark shows that the server is away
    }
    link.querySelector(".count")?.remove();
    link.title = number ? `${counted(number, "item")} to decide today` : "";
    if (number) link.append(h("span", { class: "count", "aria-hidden": "true" }, number));
  };
  live.onChange((state) => state.position, signal, settled(count, signal, { quiet: 1_200, most: 5_000 }));
}

