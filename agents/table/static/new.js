// A new table: which game, who sits there, by which rules.

import { h } from "./dom.js";
import { language } from "./settings.js";
import { called, made } from "./sides.js";
import { t } from "./words.js";

export async function show(main) {
  document.title = t("main.title");
  const games = await (await fetch("/api/games")).json();
  const draw = () => new Form(main, games).draw();
  addEventListener("popstate", draw);
  draw();
}

class Form {
  constructor(main, games) {
    this.main = main;
    this.games = games;
    const wanted = new URLSearchParams(location.search).get("game");
    this.game = games.find(({ name }) => name === wanted) ?? games.find(({ name }) => name === "skull_king") ?? games[0];
    this.seats = ["person", ...Array(this.game.players - 1).fill(this.usual())];
    this.options = new Map();
  }

  /** Against whom one plays if nothing else is said: the last but one, since the last may think for long. */
  usual() {
    const { seats } = this.game;
    return seats[Math.max(0, seats.length - 2)];
  }

  draw() {
    this.problem = h("p", { class: "problem", role: "alert" });
    this.sitting = h("fieldset", { class: "panel" });
    this.drawSeats();
    this.main.replaceChildren(
      h("h1", {}, t("new.title")),
      h(
        "form",
        { class: "new", onsubmit: (event) => this.submit(event) },
        this.choice(),
        this.sitting,
        this.practice(),
        this.rules(),
        this.problem,
        h("button", { class: "main large", type: "submit" }, t("new.make")),
      ),
    );
  }

  choice() {
    const one = (game) =>
      h(
        "label",
        { class: "card" },
        h("input", { type: "radio", name: "game", value: game.name, checked: game === this.game, onchange: () => this.take(game) }),
        h("strong", { class: "said" }, game.title),
        h("small", {}, t("new.for", { least: count(game).low, most: count(game).high })),
      );
    return h(
      "fieldset",
      { class: "games" },
      h("legend", {}, t("new.game")),
      h("div", { class: "cards" }, this.games.map(one)),
      h("p", {}, h("a", { href: `/rules/${this.game.name}` }, t("new.rules", { game: this.game.title }))),
    );
  }

  take(game) {
    history.pushState(null, "", `/?game=${game.name}`);
    const next = new Form(this.main, this.games);
    next.draw();
    next.main.querySelector("input[name=game]:checked").focus();
  }

  // -- seats

  drawSeats() {
    const { low, high } = count(this.game);
    const numbers = Array.from({ length: high - low + 1 }, (_, place) => low + place);
    this.sitting.replaceChildren(
      h("legend", {}, t("new.seats")),
      h(
        "label",
        { class: "row" },
        h("span", {}, t("new.players")),
        h("select", { id: "players", onchange: (event) => this.resize(Number(event.target.value)) }, numbers.map((number) => h("option", { value: number, selected: number === this.seats.length }, String(number)))),
      ),
      ...this.seats.map((who, seat) => this.seat(who, seat)),
    );
  }

  seat(who, seat) {
    const option = (name) => h("option", { value: name, selected: name === who }, called(name, name));
    return h(
      "label",
      { class: "row" },
      h("span", {}, h("b", { class: "disc", "aria-hidden": "true" }, String(seat)), t("new.seat", { seat })),
      h("select", { class: "seat", onchange: (event) => (this.seats[seat] = event.target.value) }, ["person", ...this.game.seats].map(option)),
    );
  }

  resize(size) {
    while (this.seats.length < size) this.seats.push(this.usual());
    this.seats.length = size;
    this.drawSeats();
    document.getElementById("players").focus();
  }

  practice() {
    const one = (value, key) =>
      h(
        "label",
        { class: "row kind" },
        h("input", { type: "radio", name: "practice", value, checked: value === "yes" }),
        h("span", {}, t(key), h("small", {}, t(`${key}.means`))),
      );
    return h("fieldset", { class: "panel" }, h("legend", {}, t("new.kind")), one("yes", "new.practice"), one("no", "new.hidden"));
  }

  // -- options

  rules() {
    const options = this.game.options.filter(({ name }) => name !== "players");
    return h(
      "details",
      { class: "panel options" },
      h("summary", {}, t("new.options")),
      h("p", { class: "soft" }, t("new.options_what")),
      options.map((option) => this.option(option)),
    );
  }

  option(option) {
    const { name, meaning, kind, low, high } = option;
    const limits = kind === "number" ? ` (${low} – ${high})` : kind === "counts" ? ` (${t("new.as_usual")})` : "";
    return h(
      "div",
      { class: "option" },
      h("div", { class: "row" }, h("label", { for: `option-${name}`, class: "said", lang: "en" }, name.replaceAll("_", " ")), this.field(option)),
      h("small", { class: "said", id: `about-${name}` }, (meaning[language()] ?? meaning.en) + limits),
    );
  }

  field(option) {
    const { name, kind } = option;
    const about = { id: `option-${name}`, "aria-describedby": `about-${name}`, class: "said" };
    const set = (value) => (value === option.default ? this.options.delete(name) : this.options.set(name, value));
    if (kind === "choice") {
      const choose = (event) => set(event.target.value);
      return h("select", { ...about, onchange: choose }, option.choices.map((value) => h("option", { value, selected: value === option.default }, value.replaceAll("_", " "))));
    }
    if (kind === "bool") return h("input", { ...about, type: "checkbox", checked: option.default, onchange: (event) => set(event.target.checked) });
    if (kind === "number") {
      return h("input", { ...about, type: "number", min: option.low, max: option.high, required: true, value: option.default, oninput: (event) => set(event.target.valueAsNumber) });
    }
    return h("div", { ...about, class: "counts said", role: "group" }, option.choices.map((choice) => this.count(name, choice)));
  }

  /** How many of one name: of a counts option, which is as usual while all are empty. */
  count(name, choice) {
    const write = (event) => {
      const counts = { ...this.options.get(name) };
      if (event.target.value === "") delete counts[choice];
      else counts[choice] = event.target.valueAsNumber;
      if (Object.keys(counts).length) this.options.set(name, counts);
      else this.options.delete(name);
    };
    return h("label", {}, choice.replaceAll("_", " "), h("input", { type: "number", min: 0, max: 255, oninput: write }));
  }

  async submit(event) {
    event.preventDefault();
    const options = { ...Object.fromEntries(this.options), players: this.seats.length };
    const practice = new FormData(event.target).get("practice") === "yes";
    const button = event.submitter;
    button.disabled = true; // a game's first match may take its time
    const why = await made({ game: this.game.name, options, seats: this.seats, practice });
    button.disabled = false;
    this.problem.replaceChildren(why ? h("span", { lang: "en", class: "said" }, why) : "");
  }
}

function count(game) {
  return game.options.find(({ name }) => name === "players");
}
