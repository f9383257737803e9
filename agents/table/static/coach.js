// What the coach says, on the replay's page: the seat's chance, what could be done at a step, and what each decision lost.

const GRADES = { blunder: "replay.blunder", mistake: "replay.mistake", inaccuracy: "replay.inaccuracy" };
const LIKE = { one: "replay.like", any: "replay.tells_little", many: "replay.cannot_tell", between: "replay.between", worse: "replay.worse", better: "replay.better" };
const LOSES = { points: "replay.loses_points", win: "replay.loses_win" };
const TOLD = { chances: "chance", worth: "worth" }; // columns of what an action comes to, where that is known
const PLACED = { points: "replay.placed_points", win: "replay.placed_win" };
const RATES = { points: "replay.rate_points", win: "replay.rate_win" };

export const $ = (id) => document.getElementById(id);

/** The coach's judgements of one seat, by the step at which it decided. */
export class Advice {
  /** `go(at)`: shows the decision that led to a step. */
  constructor(told, t, go) {
    this.told = told;
    this.t = t;
    this.go = go;
    $("advice").hidden = false;
    $("adviser").textContent = t("replay.advice", told);
    $("loses").textContent = t(LOSES[told.unit]);
    for (const [column, key] of Object.entries(TOLD)) $(column).hidden = !this.tells(key);
    for (const part of ["summary", "compared"]) $(part).replaceChildren(...this[part]().map((line) => made("li", line)));
    $("mistakes").replaceChildren(...told.mistakes.map((at) => this.mistake(at)));
    $("dearest").hidden = $("mistakes").hidden = !told.mistakes.length;
  }

  /** Whether this is known of any action. */
  tells(key) {
    return Object.values(this.told.decisions).some(({ choices }) => choices.some((choice) => choice[key]));
  }

  /** What the seat's decisions cost in all. */
  summary() {
    const { judged, rates, grades } = this.told;
    const lines = [this.t("replay.as_good", this.told)];
    if (!judged) return lines;
    const lost = Object.entries(rates).map(([unit, rate]) => this.t(RATES[unit], { lost: rate }));
    return [...lines, ...lost, this.t("replay.grades", grades)];
  }

  /** Who decides like this, and what was luck. */
  compared() {
    const { judged, ladder, luck } = this.told;
    const lines = ladder ? ladder.map((placed) => this.likeness(placed)) : judged ? [this.t("replay.no_ladder")] : [];
    if (luck) lines.push(this.t(luck.win ? "replay.luck" : "replay.luck_turns", luck));
    return lines;
  }

  likeness({ kind, unit, nearest, like, worse, better }) {
    const many = worse || better ? "many" : "any";
    const said = like.length === 1 ? "one" : like.length ? many : worse && better ? "between" : better ? "worse" : "better";
    const every = kind === "every" ? this.t("replay.every") : kind;
    const of = this.t(PLACED[unit], { kind: every });
    return this.t(LIKE[said], { kind: of, like: like[0], last: like.at(-1), nearest, worse, better });
  }

  /** A link to one of the dearest decisions: what was played, and what would have been better. */
  mistake(decision) {
    const { choices } = this.told.decisions[decision];
    const at = decision + 1;
    const link = made("a", `${at} · ${choices.find(({ played }) => played).label}`);
    link.href = `#${at}`;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      this.go(at);
    });
    const item = made("li");
    item.append(link, this.badge(at), made("small", this.t("replay.instead", { best: choices[0].label })));
    return item;
  }

  /** Beside a step of the list: the luck of its deal, and what the decision that led to it lost. */
  badges(at) {
    return [this.dealt(at), this.badge(at)].filter(Boolean);
  }

  dealt(at) {
    const points = this.told.dealt[at];
    return points ? made("span", this.t("replay.dealt", { points }), "lost") : null;
  }

  /** What the decision that led to a step lost, for the list of steps; null: nothing to tell. */
  badge(at) {
    const judged = this.told.decisions[at - 1];
    if (!judged || !judged.lost) return null;
    const grade = judged.grade ? `${this.t(GRADES[judged.grade])} ` : "";
    return made("span", `${grade}\u2212${judged.lost}`, `lost ${judged.grade}`);
  }

  /** The seat's chance in the position that is shown, and what could be done at the step: in the decision that led to it, else in
   * the one that comes now. `before`: the position before the step is shown. */
  show(at, before) {
    const past = this.told.decisions[at - 1];
    const judged = past ?? this.told.decisions[at];
    this.showChance(this.told.chances[before ? at - 1 : at]);
    $("choices").hidden = !judged;
    $("no_choice").hidden = Boolean(judged);
    $("before").hidden = !past;
    $("before").setAttribute("aria-pressed", String(before));
    if (!judged) return;
    $("decided").textContent = past ? this.t("replay.decided", { at }) : this.t("replay.to_decide", { at: at + 1 });
    $("rows").replaceChildren(...judged.choices.map((choice) => this.row(choice)));
  }

  showChance(told) {
    $("chance").hidden = !told;
    if (!told) return;
    const [win, exact] = told;
    $("chance_bar").value = win;
    $("chance_text").textContent = this.t(exact ? "replay.chance" : "replay.chance_about", { chance: `${Math.round(100 * win)} %` });
  }

  row({ label, loses, part, policy, played, ...choice }) {
    const row = made("tr", "", played ? "played" : "");
    row.style.setProperty("--part", `${100 * part}%`);
    const name = made("th", played ? this.t("replay.played", { action: label }) : label);
    name.scope = "row";
    const told = Object.entries(TOLD).filter(([column]) => !$(column).hidden);
    const cells = [loses, ...told.map(([, key]) => choice[key]), policy];
    row.append(name, ...cells.map(cell));
    return row;
  }
}

/** A number; its interval, if it has one, may stand below it. */
function cell(text) {
  const [number, interval] = text.split(" [");
  const told = made("td", number);
  if (interval) told.append(" ", made("small", `[${interval}`));
  return told;
}

function made(name, text = "", kind = "") {
  const element = document.createElement(name);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
}
