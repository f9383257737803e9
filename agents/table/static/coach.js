// What the coach says, on the replay's page: what could be done at a step, and what each decision lost.

const GRADES = { blunder: "replay.blunder", mistake: "replay.mistake", inaccuracy: "replay.inaccuracy" };
const LIKE = { one: "replay.like", any: "replay.tells_little", many: "replay.cannot_tell", between: "replay.between", worse: "replay.worse", better: "replay.better" };
const LOSES = { points: "replay.loses_points", win: "replay.loses_win" };

export const $ = (id) => document.getElementById(id);

/** The coach's judgements of one seat, by the step at which it decided. */
export class Advice {
  constructor(told, t) {
    this.told = told;
    this.t = t;
    $("advice").hidden = false;
    $("loses").textContent = t(LOSES[told.unit]);
    $("summary").replaceChildren(...this.summary().map(item));
  }

  /** The whole match in lines: who decides like this, and what was luck. */
  summary() {
    const { ladder, luck } = this.told;
    const lines = ladder.map((placed) => this.likeness(placed));
    if (luck) lines.push(this.t(luck.win ? "replay.luck" : "replay.luck_turns", luck));
    return lines;
  }

  likeness({ kind, nearest, like, worse, better }) {
    const many = worse || better ? "many" : "any";
    const said = like.length === 1 ? "one" : like.length ? many : worse && better ? "between" : better ? "worse" : "better";
    const of = kind === "every" ? this.t("replay.every") : kind;
    return this.t(LIKE[said], { kind: of, like: like[0], last: like.at(-1), nearest, worse, better });
  }

  /** Beside a step of the list: the luck of its deal, and what the decision that led to it lost. */
  badges(at) {
    return [this.dealt(at), this.badge(at)].filter(Boolean);
  }

  dealt(at) {
    const points = this.told.dealt[at];
    if (!points) return null;
    const mark = document.createElement("span");
    mark.className = "lost";
    mark.textContent = this.t("replay.dealt", { points });
    return mark;
  }

  /** What the decision that led to a step lost, for the list of steps; null: nothing to tell. */
  badge(at) {
    const judged = this.told.decisions[at - 1];
    if (!judged || !judged.lost) return null;
    const mark = document.createElement("span");
    mark.className = `lost ${judged.grade}`;
    const grade = judged.grade ? `${this.t(GRADES[judged.grade])} ` : "";
    mark.textContent = `${grade}\u2212${judged.lost}`;
    return mark;
  }

  /** What could be done at a step. */
  show(at) {
    const judged = this.told.decisions[at];
    $("choices").hidden = !judged;
    $("no_choice").hidden = Boolean(judged);
    $("chance").hidden = !judged || judged.chance === null;
    if (!judged) return;
    if (judged.chance !== null) this.showChance(judged.chance);
    $("rows").replaceChildren(...judged.choices.map((choice) => this.row(choice)));
  }

  showChance(chance) {
    $("chance_bar").value = chance;
    $("chance_text").textContent = this.t("replay.chance", { chance: `${Math.round(100 * chance)} %` });
  }

  row({ label, loses, part, policy, played }) {
    const row = document.createElement("tr");
    row.className = played ? "played" : "";
    row.style.setProperty("--part", `${100 * part}%`);
    const name = document.createElement("th");
    name.scope = "row";
    name.textContent = played ? this.t("replay.played", { action: label }) : label;
    row.append(name, ...[loses, policy].map(cell));
    return row;
  }
}

function item(text) {
  const made = document.createElement("li");
  made.textContent = text;
  return made;
}

function cell(text) {
  const made = document.createElement("td");
  made.textContent = text;
  return made;
}
