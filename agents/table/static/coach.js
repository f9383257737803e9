// What the coach says, on the replay's page: what could be done at a step, and what each decision lost.

const GRADES = { blunder: "replay.blunder", mistake: "replay.mistake", inaccuracy: "replay.inaccuracy" };
const LOSES = { points: "replay.loses_points", win: "replay.loses_win" };

export const $ = (id) => document.getElementById(id);

/** The coach's judgements of one seat, by the step at which it decided. */
export class Advice {
  constructor(told, t) {
    this.told = told;
    this.t = t;
    $("advice").hidden = false;
    $("loses").textContent = t(LOSES[told.unit]);
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

function cell(text) {
  const made = document.createElement("td");
  made.textContent = text;
  return made;
}
