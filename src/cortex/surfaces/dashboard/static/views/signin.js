/** The sign-in form, for servers that require a token. */

import { fill, h } from "../dom.js";
import { button, command, field, notice } from "../parts.js";

export function showSignIn(root, refused, enter) {
  const token = h("input", {
    class: "input mono", type: "password", name: "token", autocomplete: "off", spellcheck: "false", required: true, placeholder: "ctx_…",
  });
  const form = h(
    "form",
    { class: "panel", data: { signin: "" }, on: { submit: (event) => {
      event.preventDefault();
      if (token.value.trim()) enter(token.value.trim());
    } } },
    field("Token", token, "Stored until you close this tab. Sent only to this server."),
    button("Sign in", null, { kind: "main-action", type: "submit" }),
  );
  fill(
    root,
    h(
      "div",
      { class: "gate" },
      h("div", {}, h("h1", { tabindex: "-1" }, "Sign in"), h("p", { class: "quiet small" }, "This server requires a token.")),
      refused && notice("bad", "Token rejected", h("p", {}, "It is unknown, has expired, or was revoked.")),
      form,
      h("div", { class: "stack tight" }, h("p", { class: "small quiet" }, "No token? The operator can create one with"), command("cortex admin tokens create")),
    ),
  );
  token.focus();
}
