// Puzzles: a position, what one would do, and what that was worth.

import { Actions, wordOf } from "./actions.js";
import { h } from "./dom.js";
import { show as swap } from "./picture.js";
import { keep, kept, language, look, onLook } from "./settings.js";
import { t } from "./words.js";

const SHOWN = 6; // actions of an answer, and the one that was chosen

export async function show(main, game, number) {
  if (game === undefined) return showGames(main);
  const books = await (await fetch("/api/puzzles")).json();
  const book = books.find(({ name }) => name === game);
  const wanted = number === undefined ? (book ? next(book, 0) : 1) : Number(number);
  const page = new PuzzlePage(main, game, book);
  addEventListener("popstate", () => page.open(Number(location.pathname.split("/")[3]), false));
  await page.open(wanted, number === undefined ? "replace" : false);
}

async function showGames(main) {
  document.title = `${t("puzzles.title")} · ${t("main.title")}`;
  const books = await (await fetch("/api/puzzles")).json();
  const card = (book) =>
    h("li", {}, h("a", { class: "card", href: `/puzzles/${book.name}` }, h("strong", { class: "said" }, book.title), h("span", {}, score(book))));
  main.replaceChildren(h("h1", {}, t("puzzles.title")), h("p", { class: "soft" }, t("puzzles.what")), h("ul", { class: "cards" }, books.map(card)));
}

// -- what was tried in this browser ----------------------------------------------------------------------------------------

/** Number of a puzzle -> whether the first answer was the best. */
function tried(game) {
  try {
    return JSON.parse(kept(`puzzles.${game}`) ?? "{}");
  } catch {
    return {};
  }
}

function score({ name, count }) {
  const answers = Object.values(tried(name));
  return answers.length ? t("puzzles.score", { right: answers.filter(Boolean).length, tried: answers.length, count }) : t("puzzles.count", { count });
}

/** The first puzzle after this one that was not tried; the one after it if all were. */
function next({ name, count }, after) {
  const done = tried(name);
  const order = Array.from({ length: count }, (_, step) => ((after + step) % count) + 1);
  return order.find((number) => !(number in done)) ?? order[0];
}

// -- one puzzle ------------------------------------------------------------------------------------------------------------

class PuzzlePage {
  constructor(main, game, book) {
    this.main = main;
    this.game = game;
    this.book = book;
    this.parts(main);
    this.actions = new Actions(this.choices, (action) => this.act(action), (words) => this.mark(words));
    document.addEventListener("keydown", (event) => this.key(event));
    onLook(() => this.draw());
  }

  parts(main) {
    this.title = h("h1", {}, t("puzzles.title"));
    this.status = h("p", { class: "status", role: "status" });
    this.picture = h("div", { id: "picture", onclick: (event) => this.pressed(event) });
    this.text = h("ul", { id: "text", class: "said", hidden: true });
    this.ask = h("p", { id: "ask", class: "said" });
    this.choices = h("div", { id: "choices" });
    this.verdict = h("p", { id: "verdict", class: "said", role: "status" });
    this.tools = h("div", { class: "tools" });
    this.told = h("div", { id: "told" });
    main.classList.add("play", "puzzle");
    main.replaceChildren(
      h("div", { class: "heading" }, this.title, this.status),
      h("section", { class: "stage", "aria-label": t("play.position") }, this.picture, this.text),
      h("section", { class: "doing", "aria-label": t("play.actions") }, this.verdict, this.ask, this.choices, this.tools),
      h("aside", { class: "side", "aria-label": t("puzzles.answer") }, this.told),
    );
  }

  get address() {
    return `/api/puzzles/${this.game}/${this.number}`;
  }

  async position() {
    const { theme, tall } = look();
    const answer = await fetch(`${this.address}?language=${language()}&theme=${theme}&tall=${tall ? 1 : 0}`);
    return { ok: answer.ok, ...(await answer.json()) };
  }

  /** Show the puzzle of that number; `how` its address is noted: "push", "replace", or false, if it stands there. */
  async open(number, how) {
    this.number = number;
    if (how) history[`${how}State`](null, "", `/puzzles/${this.game}/${number}`);
    delete document.body.dataset.puzzle;
    const now = await this.position();
    if (!now.ok) return this.missing();
    this.now = now;
    this.done = false;
    document.title = `${now.number} · ${now.title} · ${t("main.title")}`;
    this.title.replaceChildren(
      h("span", { class: "said" }, now.title),
      h("a", { class: "soft", href: `/rules/${this.game}`, target: "_blank" }, t("play.rules")),
    );
    this.status.replaceChildren(h("span", { class: "said" }, now.number));
    this.ask.textContent = now.ask;
    this.verdict.textContent = "";
    this.verdict.className = "said";
    await this.shown(now);
    this.picture.classList.add("mine");
    this.actions.show(now.choices, now.view.legal);
    this.before();
    this.drawTools();
    this.main.scrollIntoView();
    document.body.dataset.puzzle = number;
  }

  missing() {
    document.title = t("main.title");
    this.main.classList.remove("play", "puzzle");
    this.main.replaceChildren(h("h1", {}, t("puzzles.none")), h("p", {}, h("a", { href: "/puzzles" }, t("puzzles.title"))));
  }

  async shown({ svg }) {
    await swap(this.picture, svg, { animate: false });
    const told = this.picture.querySelector("desc")?.textContent ?? "";
    this.text.replaceChildren(...told.split(/(?<=\.)\s+/).map((sentence) => h("li", {}, sentence)));
  }

  /** The picture again, in another theme or shape. */
  async draw() {
    const now = await this.position();
    if (now.ok) await this.shown(now);
  }

  /** What stands beside the picture before somebody has chosen. */
  before() {
    this.told.replaceChildren(
      h("p", { class: "panel" }, h("span", { class: "said" }, this.now.rating), h("br"), h("small", {}, t("puzzles.how"))),
      h("div", { class: "panel" }, h("p", {}, score(this.book)), h("p", {}, h("a", { href: "/puzzles" }, t("puzzles.others")))),
    );
  }

  drawTools() {
    const { count } = this.now;
    const numbers = Array.from({ length: count }, (_, place) => place + 1);
    const done = tried(this.game);
    const sign = (number) => (number in done ? (done[number] ? " ✓" : " ✗") : "");
    const option = (number) => h("option", { value: number, selected: number === this.number, class: "said" }, `${number}${sign(number)}`);
    this.tools.replaceChildren(
      h(
        "button",
        { type: "button", id: "next", class: this.done ? "main" : "tool", "aria-keyshortcuts": "n", onclick: () => this.open(next(this.book, this.number), "push") },
        h("kbd", { "aria-hidden": "true" }, "n"),
        t(this.done ? "puzzles.next" : "puzzles.skip"),
      ),
      h(
        "button",
        { type: "button", id: "reading", class: "tool", "aria-pressed": String(!this.text.hidden), "aria-keyshortcuts": "t", onclick: () => this.readOrSee() },
        h("kbd", { "aria-hidden": "true" }, "t"),
        t("play.text_mode"),
      ),
      h("label", { class: "tool" }, t("puzzles.number"), h("select", { id: "number", onchange: (event) => this.open(Number(event.target.value), "push") }, numbers.map(option))),
    );
  }

  // -- the answer

  async act(name) {
    if (this.done) return;
    this.done = true;
    const body = JSON.stringify({ act: name, language: language() });
    const answer = await fetch(this.address, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    const verdict = await answer.json();
    if (!answer.ok) {
      this.done = false;
      this.verdict.replaceChildren(h("span", { lang: "en" }, verdict.error));
      return;
    }
    const before = tried(this.game);
    if (!(this.number in before)) keep(`puzzles.${this.game}`, JSON.stringify({ ...before, [this.number]: verdict.right }));
    this.show(verdict);
  }

  show(verdict) {
    this.picture.classList.remove("mine");
    this.actions.clear();
    this.ask.textContent = "";
    this.verdict.textContent = `${verdict.right ? "✓" : "✗"} ${verdict.verdict}`;
    this.verdict.classList.add(verdict.right ? "right" : "wrong");
    this.told.replaceChildren(
      h("div", { class: "panel" }, h("h2", { class: "said" }, verdict.theme), verdict.why.map((sentence) => h("p", { class: "said" }, sentence))),
      table(verdict),
      h("p", { class: "soft said" }, verdict.note),
      h("p", { class: "soft" }, score(this.book)),
    );
    this.drawTools();
    document.getElementById("next").focus({ preventScroll: true });
  }

  // -- mouse and keys

  pressed(event) {
    const element = event.target.closest("[data-key]");
    if (this.done || !element) return;
    const action = event.target.closest("[data-action]")?.dataset.action;
    this.actions.press(action, wordOf(element.dataset.key, this.now.view), Number(element.dataset.count ?? 1));
  }

  /** Frame what is chosen in the picture. */
  mark(words) {
    this.picture.querySelectorAll(".chosen").forEach((element) => element.classList.remove("chosen"));
    const kind = this.now.view.dice ? "die" : "card"; // a fortune card may be called as a die's face is
    for (const element of this.picture.querySelectorAll(`[data-key^='${kind}:']`)) {
      const { word, nth } = wordOf(element.dataset.key, this.now.view);
      if (words.some((chosen) => chosen.word === word && chosen.nth === nth)) element.classList.add("chosen");
    }
  }

  readOrSee() {
    this.text.hidden = !this.text.hidden;
    this.picture.hidden = !this.text.hidden;
    document.getElementById("reading").setAttribute("aria-pressed", String(!this.text.hidden));
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
    if (document.querySelector("dialog[open]")) return;
    const tools = { n: "next", t: "reading" };
    const done = event.key in tools ? (document.getElementById(tools[event.key])?.click(), true) : this.actions.key(event);
    if (done) event.preventDefault();
  }
}

/** Every action with what it is worth. */
function table({ heads, rows }) {
  const row = ({ name, value, behind, part, best, chosen }, place) => {
    const made = h(
      "tr",
      { class: [best && "winner", chosen && "chosen"].filter(Boolean).join(" "), hidden: place >= SHOWN && !chosen },
      h("th", { scope: "row" }, `${best ? "✓ " : chosen ? "✗ " : ""}${name}`),
      h("td", {}, value),
      h("td", {}, behind),
    );
    made.style.setProperty("--part", `${100 * part}%`);
    return made;
  };
  const head = h("thead", {}, h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text))));
  const body = h("tbody", {}, rows.map(row));
  const all = (event) => {
    body.querySelectorAll("tr").forEach((each) => (each.hidden = false));
    event.target.remove();
  };
  return h(
    "div",
    { class: "worths", tabindex: 0, role: "group", "aria-label": t("puzzles.answer") },
    h("table", { class: "result said" }, head, body),
    body.querySelector("[hidden]") && h("button", { type: "button", class: "small", onclick: all }, t("puzzles.all", { count: rows.length })),
  );
}
