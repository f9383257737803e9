// The manual of a game, as the game itself has it.

import { h } from "./dom.js";
import { t } from "./words.js";

export async function show(main, game) {
  const answer = await fetch(`/api/rules/${game}`);
  const told = await answer.json();
  if (!answer.ok) {
    document.title = t("main.title");
    main.replaceChildren(h("h1", {}, t("rules.none")), h("p", {}, h("a", { href: "/" }, t("main.new"))));
    return;
  }
  document.title = `${told.title} · ${t("rules.title")}`;
  main.replaceChildren(
    h("h1", {}, h("span", { class: "said" }, told.title)),
    h("p", { class: "soft" }, t("rules.english")),
    h("div", { class: "manual said", lang: "en" }, pieces(told.manual).map(element)),
  );
}

/** The manual's pieces: headings, rules with their numbers, paragraphs. */
function pieces(manual) {
  const found = [];
  let blank = true;
  for (const line of manual.trim().split("\n")) {
    const item = line.match(/^\s+(R\d+|[-*])\s+(.*)/);
    if (!line.trim()) blank = true;
    else if (item) found.push({ kind: "item", name: item[1], text: item[2] });
    else if (!blank && found.length && (/^\s/.test(line) || found.at(-1).kind === "text")) found.at(-1).text += ` ${line.trim()}`;
    else found.push({ kind: /^\S.{0,60}[^.,;:]$/.test(line) ? "heading" : "text", text: line.trim() });
    if (line.trim()) blank = false;
  }
  return found;
}

function element({ kind, name, text }) {
  if (kind === "heading") return h("h2", {}, text);
  if (kind === "item") return h("p", { class: "rule" }, h("b", {}, name), h("span", {}, text));
  return h("p", {}, text);
}
