// What stands beside a table: who sits there, links for others, and what comes after the end.

import { h } from "./dom.js";
import { kept, keep } from "./settings.js";
import { has, t } from "./words.js";

/** What a player is called: a level in words, else its name. */
export function called(player, level) {
  if (player === "person") return t("seat.person");
  return level && has(`level.${level}`) ? t(`level.${level}`) : player;
}

export function seats({ names, players, levels, view, seat, notes, winners }) {
  const row = (name, number) =>
    h(
      "li",
      { class: view.to_move === number ? "turn" : "", "aria-current": view.to_move === number && "true" },
      h("b", { class: "disc", "aria-hidden": "true" }, String(number)),
      h("span", { class: "who" }, h("span", { class: "said" }, name), number === seat ? null : h("small", {}, called(players[number], levels[number]))),
      view.over && winners.includes(number) ? h("span", { class: "won" }, t("play.won")) : null,
      h("span", { class: "points" }, t("play.points", { points: view.scores[number] })),
    );
  return h(
    "div",
    {},
    h("ul", { class: "seats", "aria-label": t("play.seats") }, names.map(row)),
    notes.map(({ note, seat: at, was, now }) => h("p", { class: "note" }, t(`note.${note}`, { was, now, name: names[at] }))),
  );
}

/** Links for the seats of other persons and for watchers, where this browser has made the table. */
export function sharing(table, { names, view }) {
  const made = JSON.parse(kept(`made.${table}`) ?? "null");
  if (!made || view.over) return [];
  const rows = [
    ...made.links.flatMap((secret, seat) => (secret && secret !== kept(`seat.${table}`) ? [[t("share.seat", { name: names[seat] }), secret]] : [])),
    [t("share.watch"), made.watch],
  ];
  return [h("details", { open: rows.length > 1 }, h("summary", {}, t("share.title")), h("p", { class: "soft" }, t("share.what")), rows.map(([name, secret]) => link(name, table, secret)))];
}

function link(name, table, secret) {
  const address = `${location.origin}/t/${table}#${secret}`;
  const field = h("input", { readonly: true, value: address, "aria-label": name, onfocus: (event) => event.target.select() });
  const copy = h("button", { type: "button", class: "small" }, t("share.copy"));
  copy.addEventListener("click", async () => {
    field.select();
    await (navigator.clipboard?.writeText(address) ?? Promise.resolve(document.execCommand("copy")));
    copy.textContent = t("share.copied");
  });
  return h("div", { class: "share" }, h("span", {}, name), h("div", {}, field, copy));
}

/** After the end: who has won, the replay, the same once more. */
export function ended(table, { names, view, winners, seat, again }) {
  const order = names.map((_, number) => number).sort((one, other) => view.scores[other] - view.scores[one]);
  const who = seat === null ? "" : `?seat=${seat}`;
  const language = `${who ? `${who}&` : "?"}language=${document.documentElement.lang}`;
  return [
    h("h2", {}, t("end.title")),
    h(
      "table",
      { class: "result" },
      h("caption", { class: "hidden" }, t("end.title")),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("end.player")), h("th", { scope: "col" }, t("end.points")))),
      h("tbody", {}, order.map((number) => h("tr", { class: winners.includes(number) ? "winner" : "" }, h("th", { scope: "row", class: "said" }, names[number]), h("td", {}, String(view.scores[number]))))),
    ),
    h(
      "div",
      { class: "next" },
      location.pathname.startsWith("/t/") && h("a", { class: "button", href: `/r/${table}${language}` }, t("end.replay")),
      again && h("button", { type: "button", class: "main", onclick: () => made(again) }, t("end.again")),
      h("a", { class: "button", href: "/" }, t("main.new")),
    ),
  ];
}

/** Ask for a new table and go to one's seat at it. Returns why there is none. */
export async function made(asked) {
  let answer, told;
  try {
    answer = await fetch("/api/tables", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked) });
    told = await answer.json();
  } catch {
    return t("play.lost");
  }
  if (!answer.ok) return told.error;
  const own = told.links.find(Boolean) ?? told.watch;
  keep(`made.${told.table}`, JSON.stringify({ links: told.links, watch: told.watch }));
  keep(`seat.${told.table}`, own);
  location.assign(`/t/${told.table}#${own}`);
  return null;
}
