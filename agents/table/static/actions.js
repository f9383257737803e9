// Legal actions as buttons: few are listed; of many, words are chosen (which dice? which cards?) until they make one.

import { h } from "./dom.js";
import { t } from "./words.js";

const DIGITS = "1234567890";

/** A verb with its words in one order, to find the action that they make. */
function sorted(verb, words) {
  return [verb, ...[...words].sort()].join(" ");
}

export class Actions {
  /** Buttons within `box`; `act` is called with the name of the action that is chosen, `changed` when words are. */
  constructor(box, act, changed) {
    this.box = box;
    this.act = act;
    this.changed = changed;
    this.clear();
  }

  clear() {
    this.questions = [];
    this.listed = new Set();
    this.box.replaceChildren();
  }

  /** Show the choices that the server sends beside the legal actions. */
  show({ listed, asked }, legal) {
    this.listed = new Set(listed.map(([name]) => name));
    this.made = new Map(legal.map((name) => [sorted(...split(name)), name]));
    this.questions = asked.map((question) => ({ ...question, chosen: new Set(), tokens: [] }));
    this.box.replaceChildren(
      ...(listed.length ? [h("div", { class: "listed" }, listed.map(([name, label]) => this.button(name, label)))] : []),
      ...this.questions.map((question) => this.composer(question)),
    );
    [...this.box.querySelectorAll("button.act, button.token")].slice(0, DIGITS.length).forEach((button, place) => {
      button.setAttribute("aria-keyshortcuts", DIGITS[place]);
      button.prepend(h("kbd", { "aria-hidden": "true" }, DIGITS[place]));
    });
    this.questions.forEach((question) => this.update(question));
  }

  button(name, label) {
    return h("button", { type: "button", class: "act said", "data-name": name, onclick: () => this.act(name) }, label);
  }

  composer(question) {
    question.tokens = question.words.map(([, label], place) =>
      h("button", { type: "button", class: "token said", "aria-pressed": "false", onclick: () => this.toggle(question, place) }, label),
    );
    question.go = h("button", { type: "button", class: "go said main", onclick: () => this.act(question.name) });
    const every = (wanted) => () => this.choose(question, wanted ? question.words.map((_, place) => place) : []);
    return h(
      "fieldset",
      { class: "composer" },
      h("legend", { class: "said" }, question.label),
      h("div", { class: "tokens" }, question.tokens),
      h(
        "div",
        { class: "making" },
        question.go,
        h("button", { type: "button", class: "small", onclick: every(true) }, t("actions.all")),
        h("button", { type: "button", class: "small", onclick: every(false) }, t("actions.none")),
      ),
    );
  }

  toggle(question, place) {
    if (!question.chosen.delete(place)) question.chosen.add(place);
    this.update(question);
  }

  choose(question, places) {
    question.chosen = new Set(places);
    this.update(question);
  }

  /** Light the button if the words that are chosen make an action. */
  update(question) {
    const places = [...question.chosen].sort((one, other) => one - other);
    const words = places.map((place) => question.words[place]);
    question.name = this.made.get(sorted(question.verb, words.map(([word]) => word)));
    question.tokens.forEach((token, place) => token.setAttribute("aria-pressed", String(question.chosen.has(place))));
    question.go.disabled = question.name === undefined;
    question.go.textContent = words.length ? question.label.replace("…", words.map(([, label]) => label).join(", ")) : question.label;
    this.changed(this.chosenWords());
  }

  chosenWords() {
    return this.questions.flatMap((question) => [...question.chosen].map((place) => nth(question.words, place)));
  }

  /** Press what a picture's element stands for: an action, or one of the words that are asked for, or `count` equal ones. */
  press(action, word, count = 1) {
    const [verb, words] = action ? split(action) : [null, []];
    const question = this.questions.find((each) => each.verb === verb) ?? (action ? null : this.questions[0]);
    if (question) return this.toggleWord(question, word ?? { word: words[0], nth: 0 }, count);
    if (!action || !this.listed.has(action)) return false;
    this.act(action);
    return true;
  }

  toggleWord(question, { word, nth: wanted }, count) {
    const places = question.words.flatMap(([name], place) => (name === word ? [place] : []));
    if (!places.length) return false;
    if (count > 1) this.oneMore(question, places);
    else this.toggle(question, places[Math.min(wanted, places.length - 1)]);
    return true;
  }

  /** Choose one more of equal words; none, when all of them were chosen. */
  oneMore(question, places) {
    const next = places.find((place) => !question.chosen.has(place));
    this.choose(question, next === undefined ? [...question.chosen].filter((place) => !places.includes(place)) : [...question.chosen, next]);
  }

  // -- keys

  /** The button of a digit, an arrow or Enter; whether there was one. */
  key(event) {
    const buttons = [...this.box.querySelectorAll("button:not(:disabled)")];
    const digit = DIGITS.indexOf(event.key);
    const numbered = [...this.box.querySelectorAll("button.act, button.token")];
    if (digit >= 0 && numbered[digit]) {
      numbered[digit].focus();
      numbered[digit].click();
      return true;
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step && buttons.length) {
      const now = buttons.indexOf(document.activeElement);
      buttons[now < 0 ? (step > 0 ? 0 : buttons.length - 1) : (now + step + buttons.length) % buttons.length].focus();
      return true;
    }
    const go = this.box.querySelector("button.go:not(:disabled)");
    if (event.key === "Enter" && go && (!this.box.contains(document.activeElement) || document.activeElement.matches(".token"))) {
      go.click();
      return true;
    }
    return false;
  }
}

/** A name's verb and words. */
function split(name) {
  const [verb, ...words] = name.split(" ");
  return [verb, words];
}

/** The word at a place, and how many equal ones stand before it. */
function nth(words, place) {
  const word = words[place][0];
  return { word, nth: words.slice(0, place).filter(([name]) => name === word).length };
}

/** What an element of a picture stands for among words: `card:green_5#2` is the second `green_5`, `die:3` the fourth of the dice. */
export function wordOf(key, view) {
  const [, kind, name, number] = key.match(/^([^:]*):(.*?)(?:#(\d+))?$/) ?? [];
  if (kind === "die" && view.dice) {
    const word = view.dice[name];
    return { word, nth: view.dice.slice(0, Number(name)).filter((face) => face === word).length };
  }
  return { word: name, nth: number ? Number(number) - 1 : 0 };
}
