// The games that players play among themselves.

import { h } from "./dom.js";
import { t } from "./words.js";

export async function show(main) {
  document.title = `${t("tv.title")} · ${t("main.title")}`;
  const games = await (await fetch("/api/games")).json();
  main.replaceChildren(
    h("h1", {}, t("tv.title")),
    h("p", { class: "soft" }, t("tv.what")),
    h(
      "ul",
      { class: "cards" },
      games.map((game) =>
        h("li", {}, h("a", { class: "card", href: `/tv/${game.name}` }, h("strong", { class: "said" }, game.title), h("span", {}, t("tv.watch")))),
      ),
    ),
  );
}
