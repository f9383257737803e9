// A table, or a show: the picture, what happened, what can be done.

import { Actions, wordOf } from "./actions.js";
import { h } from "./dom.js";
import { keysOf, show as swap } from "./picture.js";
import { kept, keep, look, onLook, speed, SPEEDS } from "./settings.js";
import { connected } from "./socket.js";
import { ended, seats, sharing } from "./sides.js";
import { t } from "./words.js";

const LOGGED = 300; // sentences that stay
const RECENT = 40; // decisions that who comes is told of, at most
const REFUSED = { 4404: "play.no_table", 4429: "play.crowded" };

export async function show(main, name) {
  const onTv = location.pathname.startsWith("/tv/");
  if (location.hash.length > 1) keep(`seat.${name}`, location.hash.slice(1));
  new Play(main, name, onTv, onTv ? "" : (kept(`seat.${name}`) ?? "")).begin();
}

class Play {
  constructor(main, name, onTv, secret) {
    this.name = name;
    this.onTv = onTv;
    this.secret = secret;
    this.waiting = []; // messages that are still to be shown
    this.now = null; // the message that is shown
    this.showing = false;
    this.fresh = true;
    this.parts(main);
    this.actions = new Actions(this.choices, (action) => this.act(action), (words) => this.mark(words));
  }

  parts(main) {
    this.status = h("p", { class: "status", role: "status" }, t("play.connecting"));
    this.picture = h("div", { id: "picture", onclick: (event) => this.pressed(event) });
    this.text = h("ul", { id: "text", class: "said", hidden: true });
    this.choices = h("div", { id: "choices" });
    this.hinted = h("p", { id: "hinted", role: "status" });
    this.log = h("ol", { id: "log", class: "said", "aria-live": "off", tabindex: 0, "aria-label": t("play.log") });
    this.side = h("div", { id: "seats" });
    this.end = h("div", { id: "end" });
    this.share = h("div", { id: "share" });
    this.title = h("h1", {}, t("main.title"));
    this.tools = h("div", { class: "tools" });
    main.replaceChildren(
      h("div", { class: "heading" }, this.title, this.status),
      h("section", { class: "stage", "aria-label": t("play.position") }, this.picture, this.text),
      h("section", { class: "doing", "aria-label": t("play.actions") }, this.end, this.choices, this.hinted, this.tools),
      h("aside", { class: "side", "aria-label": t("play.story") }, this.side, this.log, this.share),
    );
    main.classList.add("play");
  }

  begin() {
    const place = this.onTv ? `tv/${this.name}` : this.name;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = connected(`${scheme}//${location.host}/ws/${place}`, {
      hello: () => ({ hello: this.secret, seen: this.last?.at ?? 0, look: look() }),
      on: (message) => this.take(message),
      onState: (state, code) => this.connection(state, code),
    });
    onLook(() => this.socket.send({ look: look() }));
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("pointerdown", () => this.hurry?.(), { capture: true });
  }

  // -- what comes in

  connection(state, code) {
    document.body.dataset.connection = state;
    if (state === "open") return this.state();
    this.status.textContent = state === "refused" ? t(REFUSED[code] ?? "play.refused") : t(state === "lost" ? "play.lost" : "play.connecting");
    if (state === "refused") this.lock();
  }

  async take(message) {
    if ("hint" in message) return this.hint(message);
    if ("error" in message) return this.failed(message.error);
    this.last = message;
    this.waiting.push(message);
    if (this.showing) return;
    this.showing = true;
    while (this.waiting.length) await this.next(this.waiting.shift());
    this.showing = false;
  }

  /** Show a message; those of others stay for a moment, unless somebody is in a hurry. */
  async next(message) {
    const before = this.now;
    this.now = message;
    if (before && message.at < before.at) this.log.replaceChildren(this.line(t(this.onTv ? "play.new_match" : "play.taken_back")));
    this.say(this.fresh && message.at <= RECENT ? [t("play.begins"), ...message.text] : message.text);
    if (!before) this.around();
    const stays = SPEEDS[speed()];
    const animate = before !== null && stays > 0 && message.at === before.at + 1;
    await swap(this.picture, message.svg, { animate, order: keysOf(message.events) });
    this.around();
    this.tell();
    this.state();
    if (this.waiting.length && before && stays && message.text.length) await this.pause(stays);
  }

  pause(time) {
    return new Promise((resolve) => {
      this.hurry = resolve;
      setTimeout(resolve, Math.max(0, time / (1 + this.waiting.length / 8)));
    });
  }

  // -- what is told

  say(sentences) {
    this.log.append(...sentences.map((sentence) => this.line(sentence)));
    while (this.log.children.length > LOGGED) this.log.firstChild.remove();
    this.log.scrollTop = this.log.scrollHeight;
    if (this.fresh) requestAnimationFrame(() => this.log.setAttribute("aria-live", "polite")); // what was before is not announced
    this.fresh = false;
  }

  line(sentence) {
    return h("li", {}, sentence);
  }

  /** The position in sentences, which the picture brings for those who do not see it. */
  tell() {
    const told = this.picture.querySelector("desc")?.textContent ?? "";
    this.text.replaceChildren(...told.split(/(?<=\.)\s+/).map((sentence) => h("li", {}, sentence)));
  }

  around() {
    const { now } = this;
    const title = this.onTv ? t("play.show", { game: now.title }) : now.title;
    document.title = `${title} · ${t("main.title")}`;
    this.title.replaceChildren(
      h("span", { class: "said" }, now.title),
      h("a", { class: "soft", href: `/rules/${now.view.game.replace(/-v\d+$/, "")}`, target: "_blank" }, t("play.rules")),
    );
    this.side.replaceChildren(seats(now));
    this.share.replaceChildren(...sharing(this.name, now));
  }

  get mine() {
    return this.now !== null && !this.now.view.over && this.now.seat !== null && this.now.view.to_move === this.now.seat;
  }

  /** Whose turn it is, and the buttons if it is one's own. */
  state() {
    const { now } = this;
    if (!now || document.body.dataset.connection !== "open") return;
    const held = document.activeElement === document.body || this.choices.contains(document.activeElement) || this.held;
    const settled = !this.waiting.length;
    this.status.textContent = this.turn();
    this.status.classList.toggle("mine", this.mine);
    this.picture.classList.toggle("mine", this.mine && settled);
    this.hinted.textContent = "";
    if (!settled) return;
    if (this.mine) this.actions.show(now.choices, now.view.legal);
    else this.actions.clear();
    this.held = held && !this.mine;
    if (this.mine && held) this.choices.querySelector("button")?.focus({ preventScroll: true });
    this.end.replaceChildren(...(now.view.over ? ended(this.name, now) : []));
    this.tools.replaceChildren(...this.toolButtons());
    document.body.dataset.at = now.at;
  }

  turn() {
    const { view, names, seat, winners, players } = this.now;
    if (view.over) return winners.includes(seat) ? (winners.length > 1 ? t("play.you_share") : t("play.you_win")) : t("play.over");
    if (view.to_move === seat) return t("play.your_turn");
    const name = names[view.to_move];
    return t(players[view.to_move] === "person" ? "play.waits" : "play.thinks", { name: name[0].toUpperCase() + name.slice(1) });
  }

  toolButtons() {
    const practice = this.now.practice && this.now.seat !== null;
    const tool = (id, key, shortcut, act, off = false) =>
      h("button", { type: "button", id, class: "tool", disabled: off, "aria-keyshortcuts": shortcut, onclick: act }, h("kbd", { "aria-hidden": "true" }, shortcut), t(key));
    const reading = h(
      "button",
      { type: "button", id: "reading", class: "tool", "aria-pressed": String(!this.text.hidden), "aria-keyshortcuts": "t", onclick: () => this.readOrSee() },
      h("kbd", { "aria-hidden": "true" }, "t"),
      t("play.text_mode"),
    );
    return [
      practice && tool("hint", "play.hint", "h", () => this.socket.send({ hint: 1 }), !this.mine),
      practice && tool("undo", "play.undo", "u", () => this.socket.send({ undo: 1 }), this.now.at === 0),
      reading,
      h(
        "label",
        { class: "tool" },
        t("play.speed"),
        h("select", { id: "speed", onchange: (event) => this.hasten(event.target.value) }, Object.keys(SPEEDS).map((name) => h("option", { value: name, selected: name === speed() }, t(`play.speed.${name}`)))),
      ),
    ].filter(Boolean);
  }

  hasten(speed) {
    keep("speed", speed);
    this.socket.send({ look: look() });
  }

  hint({ label, by, win }) {
    const chance = win === null ? [] : [" ", t("play.chance", { chance: `${Math.round(100 * win)} %` })];
    this.hinted.replaceChildren(t("play.hinted", { by }), " ", h("strong", { class: "said" }, label), ...chance);
  }

  failed(error) {
    this.hinted.replaceChildren(h("span", { lang: "en", class: "said" }, error));
    if (this.now) this.unlock();
  }

  // -- what is done

  act(name) {
    if (!this.mine) return;
    if (this.socket.send({ act: name, at: this.now.at })) this.lock();
  }

  lock() {
    for (const button of this.choices.querySelectorAll("button")) button.disabled = true;
    this.held = true;
  }

  unlock() {
    this.actions.show(this.now.choices, this.mine ? this.now.view.legal : []);
  }

  pressed(event) {
    const element = event.target.closest("[data-key]");
    if (!this.mine || !element || this.waiting.length) return;
    const action = event.target.closest("[data-action]")?.dataset.action;
    this.actions.press(action, wordOf(element.dataset.key, this.now.view), Number(element.dataset.count ?? 1));
  }

  /** Frame what is chosen in the picture. */
  mark(words) {
    this.picture.querySelectorAll(".chosen").forEach((element) => element.classList.remove("chosen"));
    if (!this.now) return;
    for (const element of this.picture.querySelectorAll("[data-key^='card:'], [data-key^='die:']")) {
      const { word, nth } = wordOf(element.dataset.key, this.now.view);
      if (words.some((chosen) => chosen.word === word && chosen.nth === nth)) element.classList.add("chosen");
    }
  }

  readOrSee() {
    const reading = this.text.hidden;
    this.text.hidden = !reading;
    this.picture.hidden = reading;
    document.getElementById("reading")?.setAttribute("aria-pressed", String(reading));
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
    if (document.querySelector("dialog[open]")) return;
    this.hurry?.();
    const tools = { h: "hint", u: "undo", t: "reading" };
    const done = event.key in tools ? this.tool(tools[event.key]) : this.actions.key(event);
    if (done) event.preventDefault();
  }

  tool(id) {
    document.getElementById(id)?.click();
    return true;
  }
}
