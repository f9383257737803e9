// Plays a match that is over: pictures, sentences, a scrubber and keys. The page of the table's server, or one file alone.

import { $, Advice } from "./coach.js";
import { keysOf, show } from "./picture.js";

const PAUSE = 700; // milliseconds that a step stays at usual speed, beside those to read it
const READING = 28; // milliseconds a letter
const LONGEST_PAUSE = 5000;
const LANGUAGES = ["en", "fr", "de"];

/** The player of one replay: the page's elements, and where in the match it is. */
class Player {
  /** `open`: the same match with everything open, and `coach`: what the coach says of the seat, where the page has them. */
  constructor(replay, words, open, coach) {
    this.replay = replay;
    this.words = words;
    this.views = [replay, open];
    this.coach = coach ? this.advice(coach) : null;
    this.at = 0;
    this.before = false; // whether the picture is that before the step
    this.seen = 0; // the step whose picture is shown
    this.playing = 0; // number of this playing, 0 while it stands
    this.plays = 0;
    this.tall = matchMedia("(max-aspect-ratio: 4/5)");
  }

  /** A text of the interface, `{name}` replaced by its value. */
  t(key, values = {}) {
    return (this.words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  }

  get last() {
    return this.replay.steps.length - 1;
  }

  /** What the coach says, whose links lead to a decision as it was to be taken. */
  advice(coach) {
    const go = async (at) => {
      $("stage").scrollIntoView({ block: "nearest" });
      await this.goTo(at, true);
    };
    return new Advice(coach, (...said) => this.t(...said), go);
  }

  // -- the page

  fill() {
    const { replay } = this;
    document.documentElement.lang = replay.language;
    document.title = this.t("replay.title", { game: replay.title });
    $("title").textContent = document.title;
    for (const element of document.querySelectorAll("[data-word]")) element.textContent = this.t(element.dataset.word);
    for (const element of document.querySelectorAll("[data-label]")) this.label(element, element.dataset.label);
    $("about").textContent = this.about();
    $("scrubber").max = this.last;
    $("steps").replaceChildren(...replay.steps.map((_, at) => this.line(at)));
    $("open").hidden = !this.views[1];
  }

  /** Show what the coach says, and let everything be opened. */
  advise(coach, open) {
    this.coach = this.advice(coach);
    this.views[1] = open;
    $("open").hidden = false;
    $("steps").replaceChildren(...this.replay.steps.map((_, at) => this.line(at)));
    return this.goTo(this.at);
  }

  /** Between what the seat knew and everything open. */
  async switchView() {
    const open = this.replay === this.views[0];
    this.replay = this.views[Number(open)];
    $("open").setAttribute("aria-pressed", String(open));
    $("about").textContent = this.about();
    $("steps").replaceChildren(...this.replay.steps.map((_, at) => this.line(at)));
    await this.goTo(this.at, this.before);
  }

  label(element, key) {
    element.setAttribute("aria-label", this.t(key));
    if (element.localName === "button") element.title = this.t(key);
  }

  about() {
    const { replay } = this;
    const seats = replay.seats.flatMap((name, seat) => (name ? [`${seat}: ${name}`] : []));
    const seen = replay.seat === null ? this.t("replay.open") : this.t("replay.seat", { seat: replay.seat });
    const match = this.t("replay.match", { seed: replay.seed });
    return [replay.game, match, ...seats, `${this.t("replay.seen_by")}: ${seen}`].join(" · ");
  }

  line(at) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.tabIndex = -1;
    button.dataset.at = at;
    const told = document.createElement("span");
    told.textContent = this.told(at);
    button.append(told, ...(this.coach?.badges(at) ?? []));
    button.addEventListener("click", () => this.goTo(at));
    item.append(button);
    return item;
  }

  /** What the step brought, in sentences. */
  told(at) {
    const { steps, over } = this.replay;
    const start = at === 0 ? [this.t("replay.start")] : [];
    const end = at === this.last && !over ? [this.t("replay.unfinished")] : [];
    return [...start, ...steps[at].text, ...end].join(" ");
  }

  listen() {
    const doing = {
      first: () => this.goTo(0),
      back: () => this.goTo(this.at - 1),
      play: () => this.toggle(),
      next: () => this.goTo(this.at + 1),
      last: () => this.goTo(this.last),
      theme: switchTheme,
      open: () => this.switchView(),
      before: () => this.goTo(this.at, !this.before),
    };
    for (const [id, act] of Object.entries(doing)) $(id).addEventListener("click", act);
    $("scrubber").addEventListener("input", () => this.goTo(Number($("scrubber").value)));
    document.addEventListener("keydown", (event) => this.key(event));
    this.tall.addEventListener("change", () => this.goTo(this.at, this.before));
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const on = event.target.localName;
    const acts = {
      ArrowLeft: () => this.goTo(this.at - 1),
      ArrowRight: () => this.goTo(this.at + 1),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.last),
      d: switchTheme,
    };
    if (on !== "button") acts[" "] = () => this.toggle(); // which a button takes as a click
    if (on === "select" || !(event.key in acts)) return;
    event.preventDefault();
    acts[event.key]();
  }

  // -- where it is

  /** Go to a step because somebody wants to: playing ends. */
  goTo(at, before = false) {
    this.stop();
    return this.step(at, before);
  }

  /** Show a step, or the position `before` it; what moves does so only from a position to the next. Resolves when it stands still. */
  async step(at, before = false) {
    const to = Math.min(Math.max(at, 0), this.last);
    const seen = before ? Math.max(to - 1, 0) : to;
    const animate = seen === this.seen + 1;
    Object.assign(this, { at: to, before, seen });
    const { steps, tall } = this.replay;
    const text = this.told(to);
    $("told").textContent = text;
    $("count").textContent = this.t("replay.step", { at: to, last: this.last });
    $("scrubber").value = to;
    $("scrubber").setAttribute("aria-valuetext", `${$("count").textContent}: ${text}`);
    for (const [id, off] of [["first", to === 0], ["back", to === 0], ["next", to === this.last], ["last", to === this.last]]) {
      $(id).setAttribute("aria-disabled", String(off));
    }
    this.mark(to);
    this.coach?.show(to, before);
    history.replaceState(null, "", `#${to}`);
    const { svg, events } = steps[seen];
    await show($("picture"), this.tall.matches && tall ? tall[seen] : svg, { animate, order: keysOf(events) });
  }

  mark(at) {
    const list = $("steps");
    const before = list.querySelector("[aria-current]");
    const button = list.children[at].firstChild;
    if (before) {
      before.removeAttribute("aria-current");
      before.tabIndex = -1;
    }
    button.setAttribute("aria-current", "step");
    button.tabIndex = 0;
    if (before && before === document.activeElement) button.focus({ preventScroll: true });
    const [top, height] = [button.offsetTop - list.offsetTop, button.offsetHeight];
    if (top < list.scrollTop || top + height > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
  }

  // -- playing

  toggle() {
    if (this.playing) this.stop();
    else this.run();
  }

  stop() {
    this.playing = 0;
    this.showPlaying();
  }

  async run() {
    const playing = (this.playing = ++this.plays);
    this.showPlaying();
    if (this.at === this.last) await this.step(0);
    while (this.playing === playing && this.at < this.last) {
      await this.step(this.at + 1);
      await new Promise((resolve) => setTimeout(resolve, this.pause()));
    }
    if (this.playing === playing) this.stop();
  }

  pause() {
    return Math.min(PAUSE + READING * this.told(this.at).length, LONGEST_PAUSE) / Number($("speed").value);
  }

  showPlaying() {
    $("play").setAttribute("aria-pressed", String(this.playing > 0));
  }
}

function switchTheme() {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = (root.dataset.theme ?? (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
}

// -- where the match comes from ------------------------------------------------------------------------------------------

/** What the page holds itself: JSON, compressed, in base64. */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

async function fetched(address) {
  const answer = await fetch(address);
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.error);
  return content;
}

function wantedLanguage() {
  const asked = new URLSearchParams(location.search).get("language") ?? navigator.language.slice(0, 2);
  return LANGUAGES.includes(asked) ? asked : LANGUAGES[0];
}

/** The page of a table's server: the match of the table in its address, as the seat in it saw it. */
async function fromServer() {
  const table = location.pathname.split("/").pop();
  const language = wantedLanguage();
  const words = await fetched(`/static/words/${language}.json`);
  const asked = new URLSearchParams({ language });
  const seat = new URLSearchParams(location.search).get("seat");
  if (seat !== null) asked.set("seat", seat);
  const replay = await fetched(`/api/replays/${table}/steps?${asked}`);
  return { replay, words, table };
}

/** Links that only a server's page has: back to the table, and the match as others saw it. */
function link(player, table) {
  $("table").href = `/t/${table}`;
  $("table").hidden = false;
  $("viewers").hidden = false;
  $("coach").hidden = player.replay.seat === null;
  $("ask").addEventListener("click", () => askCoach(player, table));
  const seen = player.replay.seat;
  const choices = [["", player.t("replay.open")], ...player.replay.seats.map((_, seat) => [String(seat), player.t("replay.seat", { seat })])];
  $("viewer").replaceChildren(...choices.map(([value, name]) => new Option(name, value, false, value === String(seen ?? ""))));
  $("viewer").addEventListener("change", () => {
    const asked = new URLSearchParams(location.search);
    if ($("viewer").value === "") asked.delete("seat");
    else asked.set("seat", $("viewer").value);
    location.assign(`?${asked}#${player.at}`);
  });
}

/** Ask the server's coach about the seat that looks on: it takes some seconds. */
async function askCoach(player, table) {
  const { language, seat } = player.replay;
  $("ask").disabled = true;
  $("asking").textContent = player.t("replay.asking");
  try {
    const coach = fetched(`/api/replays/${table}/coach?${new URLSearchParams({ seat, language })}`);
    const open = fetched(`/api/replays/${table}/steps?${new URLSearchParams({ language })}`);
    await player.advise(...(await Promise.all([coach, open])));
    $("coach").hidden = true;
  } catch (error) {
    $("asking").textContent = error.message;
    $("ask").disabled = false;
  }
}

async function start() {
  const kept = $("kept");
  const { replay, words, table, open, coach } = kept ? await unpacked(kept.textContent) : await fromServer();
  const player = new Player(replay, words, open, coach);
  player.fill();
  player.listen();
  if (table) link(player, table);
  await player.step(Number(location.hash.slice(1)) || 0);
}

start().catch((error) => {
  $("told").textContent = error.message;
});
