"""Reports as Markdown, from what is kept of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.reports.design import TRAINED, TRAINED_AGAIN, TRAININGS
from experiments.reports.estimates import FINDING, Estimate
from experiments.reports.report import Findings, Verdict
from pirate_envs.agents.report import markdown_table

LEAST_P = 1e-30  # that is told
LEVEL = 0.99  # of the intervals in which the estimates of another run, or training, are looked for
BEYOND, TRAINED_SO = "beyond chance", "in all that was trained"  # what speaks for the opposite of a finding


def found_in(content: Mapping[str, Any]) -> Findings:
    """The findings that results hold, as they were when the report was run."""
    found = content["found"]
    verdicts = {test: _verdict_in(told) for test, told in found["verdicts"].items()}
    matches = {name: {key: Estimate(**each) for key, each in told.items()} for name, told in found["matches"].items()}
    return Findings(verdicts, found["fitted"], matches, found["extra"])


def _verdict_in(told: Mapping[str, Any]) -> Verdict:
    among = {who: Estimate(**each) for who, each in told["among"].items()}
    return Verdict(**{**told, **{key: Estimate(**told[key]) for key in ("estimate", "explored")}, "among": among})


def page(content: Mapping[str, Any]) -> str:
    """A report as Markdown, from what is kept."""
    question, found = content["question"], content["found"]
    verdicts = [_verdict_in(told) for told in found["verdicts"].values()]
    trial = f"*A trial on {content['trial']:.2%} as many deals, which no result is of.*" if "trial" in content else ""
    seated = f" Measured {content['seated']}." if "seated" in content else ""
    parts = [
        f"## {question['title']}",
        trial,
        f"{content['statement']}{seated}",
        opposite(content, "statement"),
        f"![{question['title']}]({content['name']}.png)",
        content.get("more", ""),
        opposite(content, "more"),
        holds(found_in(content)),
        f"*{question['asked']}* {question['population']} {question['estimate']}",
        _table(verdicts, [question["among"][0], *verdicts[0].among]),
        _trainings(verdicts),
        *([_matches(found["matches"])] if found["matches"] else []),
        _failures(verdicts, content["by_chance"]),
        f"{_deals(question)} Seed {content['seed']}, {content['minutes']:.1f} minutes of {content['workers']} process(es), "
        f"{content['machine']}. {_commands(content)}",
    ]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def opposite(content: Mapping[str, Any], text: str, line: int | None = None) -> str:
    """Of the tests that a text of the report, or a line of it, speaks of, what other players say that is not chance either.

    Empty if none says the opposite.
    """
    spoken = content.get("tests", {}).get(text, [])
    tests = {test for at, tests in enumerate(spoken) if line in (None, at) for test in tests}
    said: dict[str, list[str]] = {BEYOND: [], TRAINED_SO: []}
    for test, verdict in found_in(content).verdicts.items():
        for who in against(verdict) if test in tests else ():
            said[TRAINED_SO if who in TRAININGS else BEYOND].append(f"{test} {verdict.among[who].written()} among {who}")
    return " ".join(f"**But the opposite, {how}:** {'; '.join(told)}." for how, told in said.items() if told)


def against(verdict: Verdict) -> list[str]:
    """The other players among whom the opposite of a finding was found; trainings only where all that there are say so.

    The interval of a training is that of its deals: another may be off by more.
    """
    opposed = verdict.fails_among()
    astray = any(who in verdict.among and who not in opposed for who in TRAININGS)
    return [who for who in opposed if not (astray and who in TRAININGS)]


def holds(found: Findings) -> str:
    """How many of the findings hold among the other players, and which do not; empty if no others were asked."""
    made = [each for each in found.verdicts.values() if each.found]
    told = [_held(made, who) for who in (made[0].among if made else ())]
    return f"Of {len(made)} findings hold {', '.join(told)}." if told else ""


def _held(made: list[Verdict], who: str) -> str:
    held, failed = ([each for each in made if who in among(each)] for among in (Verdict.holds_among, Verdict.fails_among))
    untold = [each for each in made if each not in held and each not in failed]
    others = [
        f"{said}: {'; '.join(each.test for each in tests)}"
        for said, tests in (("the opposite", failed), ("cannot tell", untold))
        if tests
    ]
    return f"{len(held)} among {who}" + (f" ({'. '.join(others)})" if others else "")


def _commands(content: Mapping[str, Any]) -> str:
    seed = f" --seed {content['seed']}" if content["seed"] else ""
    alone = f"python -m experiments.reports {content['game']} {content['name']}{seed} --write"
    run_as = "" if content["command"] == alone else f" (here run by `{content['command']}`)"
    also = "".join(f" Among {who}, not registered: `{line}`." for who, line in content.get("also", {}).items())
    return f"Command: `{alone}`{run_as}.{also}"


def _table(verdicts: list[Verdict], among: list[str]) -> str:
    rows = [
        [
            each.test, each.estimate.written(), *(_cell(each, who) for who in among[1:]), f"{each.estimate.deals:,}",
            p_value(each.adjusted), "matters" if each.matters else "too small to matter" if each.found else "cannot tell",
        ]
        for each in verdicts
    ]  # fmt: skip
    head = ["", *(f"among {who}" for who in among), "deals", "p (Holm)", ""]
    bold = {who for each in verdicts for who in against(each)}
    kinds = [BEYOND] * bool(bold.difference(TRAININGS)) + [TRAINED_SO] * (not bold.isdisjoint(TRAININGS))
    told = f"\nBold: the opposite, {' or '.join(kinds)}." if kinds else ""
    return markdown_table(head, rows, "l" + "r" * (len(among) + 2) + "l") + told


def _cell(verdict: Verdict, who: str) -> str:
    told = verdict.among[who].written()
    return f"**{told}**" if who in against(verdict) else told


def _trainings(verdicts: list[Verdict]) -> str:
    """What the intervals among policies that learned for the report are worth; empty if none did."""
    trained = [who for who in TRAININGS if who in verdicts[0].among]
    if not trained:
        return ""
    told = "Policies learn once at each table: their intervals are those of the deals, and another training may be off by more."
    if len(trained) < len(TRAININGS):
        return told
    within = 0
    for verdict in verdicts:
        low, high = verdict.among[TRAINED].interval(LEVEL)
        within += low <= verdict.among[TRAINED_AGAIN].mean <= high
    return (
        f"{told} Of {len(verdicts)} estimates of the second training {within} lie inside the {100 * LEVEL:.0f} % intervals of "
        "the first. The opposite of a finding is told where both say it."
    )


def p_value(p: float) -> str:
    """In two digits; below what is worth telling, so much; on one line."""
    return f"{p:.2g}" if p >= LEAST_P else f"<\u00a0{LEAST_P:.0e}"


def _matches(matches: Mapping[str, Mapping[str, Any]]) -> str:
    rows = []
    for name, told in matches.items():
        won, margin = Estimate(**told["win_share"]), Estimate(**told["margin"])
        low, high = won.interval()
        form = "+.1f" if abs(margin.mean) >= 1 else "+.3f"  # where the win is all that is scored
        rows.append([name, f"{won.mean:.1%} [{low:.1%}, {high:.1%}]", margin.written(form), f"{won.deals:,}"])
    return "In duplicate matches:\n\n" + markdown_table(
        ["who against whom", "matches won", "margin", "deals, each in every rotation"], rows, "lr"
    )


def _failures(verdicts: list[Verdict], by_chance: int) -> str:
    failed = [verdict.test for verdict in verdicts if verdict.failed]
    first = f"Promised by the exploring deals, but not confirmed: {', '.join(failed)}." if failed else ""
    none = "" if failed else "What the exploring deals promised was confirmed."
    tries = f"With what is asked about taken out at random, {by_chance} of {len(verdicts)} tests found something."
    return f"{first}{none} {tries}"


def _deals(question: Mapping[str, Any]) -> str:
    told = [f"{deals:,} to {stage}" for stage, deals in question["deals"].items() if deals]
    return f"Deals: {', '.join(told)}; tests by Holm at {FINDING:.0%}, intervals 95 % by deal."
