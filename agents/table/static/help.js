// The list of keys, and how a picture is read.

import { h } from "./dom.js";
import { t } from "./words.js";

const KEYS = ["digits", "arrows", "enter", "h", "u", "t", "n", "esc", "help"];
const SIGNS = ["turn", "own", "frame", "click", "many", "back"];

/** Open the help, or close it if it is open. */
export function openHelp() {
  const there = document.getElementById("keys");
  if (there) there.close();
  else dialog().showModal();
}

function dialog() {
  const list = (names, part) => names.map((name) => [h("dt", {}, t(`help.${part}.${name}`)), h("dd", {}, t(`help.${part}.${name}.means`))]);
  const shown = h(
    "dialog",
    { id: "keys", tabindex: -1, autofocus: true, "aria-labelledby": "keys-title", onclose: (event) => event.target.remove() },
    h("h2", { id: "keys-title" }, t("help.keys")),
    h("dl", { class: "keys" }, list(KEYS, "key")),
    h("h2", {}, t("help.signs")),
    h("ul", {}, SIGNS.map((name) => h("li", {}, t(`help.sign.${name}`)))),
    h("p", {}, t("help.text_mode")),
    h("form", { method: "dialog" }, h("button", { class: "main" }, t("help.close"))),
  );
  document.body.append(shown);
  return shown;
}
