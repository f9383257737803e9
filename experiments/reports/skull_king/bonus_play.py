"""King, mermaid or pirate in hand and a trick to be won: play it now, or wait?"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.estimates import FEWEST, Estimate, Rows, flipped, mean, where
from experiments.reports.lockstep import DrawnPositions, Lockstep, Move, branched, each_drawn
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from pirate_envs.agents.player import Agent
from pirate_envs.agents.sheets.skull_king import CHARACTER, LOWEST, NUMBER, QUIET, STRONG, Tricks, counted, tricks
from pirate_envs.core.game import Game
from pirate_envs.games.skull_king.state import ESCAPE, KING, MARY_ESCAPE, MERMAID, MERMAIDS, PIRATE, PLAY, PLAYING_TRICKS

CARDS = {"king": KING, "mermaid": MERMAID, "pirate": PIRATE}
PLACES = {"leading": "when you lead", "in between": "when others still play after you", "last to play": "when you play last"}
SPARE = {"one spare trick": (1, 1), "2 or 3 spare": (2, 3), "4 or more spare": (4, 10)}
RIVALS = {"king": "mermaid", "mermaid": "king", "pirate": "king"}
"""Who takes the trick from it, or lets it take a bonus."""
BONUS = {"king": "a pirate", "mermaid": "the king"}
DRAWN = 0.15  # of the plays: about eleven a match
COLOURS = ("#d55e00", "#009e73", "#0072b2")


class BonusPlay(Report):
    """Both ways to go on in the same hand, played to its end."""

    game = "skull_king"
    name = "bonus_play"
    question = Registered(
        title="King, mermaid, pirate: play now or wait?",
        asked="A trick is still needed and a character would take this one: play it now, or keep it and throw a low card?",
        population=f"{DRAWN:.0%} of such plays of matches of four equal players, drawn one by one: a trick is needed but not "
        "every one that is left; king, mermaid or pirate would win the trick as it lies (one drawn, if there are several); a "
        "card that is no character may be played too.",
        estimate="Points of the hand less the mean of the others', the character now less the other card now; the same cards "
        "and players from there on. The other card: the highest number that does not take the trick, else the weakest card "
        "that is no character; to lead, the lowest number, where a black one counts two more than it says. A trick is spare if "
        "it is left but not needed.",
        smallest=2.0,
        deals={EXPLORE: 6_000, CONFIRM: 24_000},
        tests=(
            *(f"{card}, {place}" for card in CARDS for place in PLACES),
            *(f"{card}, {spare}" for card in CARDS for spare in SPARE),
            *(f"{card}, not last, {some}{rival} unseen" for card, rival in RIVALS.items() for some in ("", "no ")),
            *(f"{card} over {other} on the table" for card, other in BONUS.items()),
        ),
        among=(POLICY, "policy:pretrained-v1", RULES),
    )
    size = (10.0, 6.4)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        found = each_drawn(game, player, deals, asked, DRAWN)
        move = next(Lockstep(game, player, found.records.copy()).moves())
        seen = tricks(found.records, move.observations, move.action_masks[:, PLAY:])
        chance = np.random.default_rng(deals.start)
        drawn = np.where(seen.takes[:, list(CARDS.values())], chance.random((len(seen.need), len(CARDS))), -1).argmax(axis=1)
        now = branched(game, player, found.records, PLAY + np.array(list(CARDS.values()))[drawn], horizon=1).points
        later = branched(game, player, found.records, PLAY + other_card(seen), horizon=1).points
        return {
            "deal": found.deal, "card": drawn, "place": np.where(seen.leading, 0, 1 + seen.last), "spare": seen.spare,
            "unseen": unseen(found)[np.arange(len(drawn)), drawn], "gap": now - later,
            "bonus": seen.bonus[np.arange(len(drawn)), np.array(list(CARDS.values()))[drawn]],
        }  # fmt: skip

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        told = {}

        def tell(test: str, chosen: np.ndarray) -> None:
            part = where(rows, chosen)
            told[test] = mean(part["gap"], part["deal"])

        for at, card in enumerate(CARDS):
            own = rows["card"] == at
            for number, place in enumerate(PLACES):
                tell(f"{card}, {place}", own & (rows["place"] == number))
            for spare, (low, high) in SPARE.items():
                tell(f"{card}, {spare}", own & (rows["spare"] >= low) & (rows["spare"] <= high))
            for some, there in (("", True), ("no ", False)):
                tell(f"{card}, not last, {some}{RIVALS[card]} unseen", own & (rows["place"] != 2) & (rows["unseen"] == there))
            if card in BONUS:
                tell(f"{card} over {BONUS[card]} on the table", own & rows["bonus"])
        return told

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        return flipped(rows, ["gap"], chance)

    def statement(self, found: Findings) -> str:
        play = found.strongest((f"{card} over {other} on the table" for card, other in BONUS.items()), 1)[:1]
        wait = found.strongest((f"{card}, {place}" for card in CARDS for place in PLACES), -1)[:1]
        parts = [f"play the {_said(verdict.test)} ({verdict.written()} points against waiting)" for verdict in play]
        parts += [f"wait with the {_said(verdict.test)} ({verdict.written()} if it is played)" for verdict in wait]
        return f"While you have a trick to spare, {', and '.join(parts) or 'nothing was found that matters'}."

    def more(self, found: Findings) -> str:
        ends = (*PLACES, "on the table")
        told = {test: verdict.estimate for test, verdict in found.verdicts.items() if verdict.matters and test.endswith(ends)}
        play = [f"the {_said(test)} {estimate.written()}" for test, estimate in told.items() if estimate.mean > 0]
        wait = [f"the {_said(test)} {estimate.written()}" for test, estimate in told.items() if estimate.mean < 0]
        return (
            "With a trick needed and at least one to spare, points that playing it now brings against waiting. "
            f"Play now: {'; '.join(play) or 'none was found'}. Wait with: {'; '.join(wait) or 'none was found'}."
        )

    def advice(self, found: Findings) -> str:
        told = {test: verdict.estimate for test, verdict in found.verdicts.items() if verdict.matters}
        places = {test: estimate for test, estimate in told.items() if test.endswith(tuple(PLACES))}
        wait = [test for test, estimate in sorted(places.items(), key=lambda each: each[1].mean) if estimate.mean < 0][:2]
        play = [test for test, estimate in sorted(told.items(), key=lambda each: -each[1].mean) if estimate.mean > 0][:1]
        parts = [f"do not play the {_said(test)} ({told[test].written()} points against waiting)" for test in wait]
        parts += [f"do play the {_said(test)} ({told[test].written()})" for test in play]
        return f"While you have a trick to spare, {', '.join(parts)}." if parts else ""

    def draw(self, found: Findings, figure: Any) -> None:
        groups = (tuple(PLACES), tuple(SPARE), ("not last, rival unseen", "not last, no rival unseen"), ("bonus on the table",))
        names, place = [], 0.0
        axes = figure.subplots()
        for group in groups:
            for row in group:
                for at, (card, colour) in enumerate(zip(CARDS, COLOURS, strict=True)):
                    test = _test(card, row)
                    if test in found.verdicts and found[test].deals >= FEWEST:
                        told = found[test]
                        axes.errorbar(
                            told.mean, place + 0.22 * (at - 1), xerr=1.96 * told.error, fmt="o", ms=6, capsize=2.5,
                            color=colour, label=card if row == "leading" else None,
                        )  # fmt: skip
                names.append((place, row))
                place += 1
            axes.axhline(place - 0.25, color="0.85", lw=0.8)
            place += 0.5
        axes.set_yticks([at for at, _ in names], [name for _, name in names])
        axes.set_ylim(place - 0.7, -0.6)
        axes.axvline(0, color="0.3", lw=0.8)
        axes.set_xlabel("points that playing it now brings against waiting, 95 % intervals")
        axes.legend(frameon=False, loc="best")
        axes.spines[["top", "right"]].set_visible(False)


def _said(test: str) -> str:
    card, place = test.split(", ", 1) if ", " in test else (test, "")
    return f"{card} {PLACES.get(place, place)}".strip()


def _test(card: str, row: str) -> str:
    if row == "bonus on the table":
        return f"{card} over {BONUS.get(card)} on the table"
    return f"{card}, {row.replace('rival', RIVALS[card])}"


def asked(records: np.ndarray, move: Move) -> np.ndarray:
    """Which decisions are of the report's population."""
    told = np.zeros(len(records), bool)
    plays = np.flatnonzero(records["phase"] == PLAYING_TRICKS)
    seen = tricks(records[plays], move.observations[plays], move.action_masks[plays, PLAY:])
    takes = seen.takes[:, list(CARDS.values())].any(axis=1)
    told[plays] = (seen.need > 0) & (seen.spare > 0) & takes & _others(seen).any(axis=1)
    return told


def _others(seen: Tricks) -> np.ndarray:
    kinds = np.arange(len(STRONG))
    return seen.legal & ~CHARACTER & (kinds != MARY_ESCAPE)


def other_card(seen: Tricks) -> np.ndarray:
    """What is played by who waits, kinds, int64, (n,)."""
    others = _others(seen)
    losing = others & ~seen.takes & NUMBER
    order = np.where(seen.leading[:, None], np.where(NUMBER, QUIET, QUIET - 100), np.where(losing, STRONG + 100, LOWEST))
    return np.where(others, order, -np.inf).argmax(axis=1)


def unseen(found: DrawnPositions) -> np.ndarray:
    """Whether a rival that takes the trick from king, mermaid or pirate may still come (RIVALS), bool, (n, 3).

    Unseen is what is neither played nor in one's own hand: it may not have been dealt.
    """
    records = found.records
    own = np.arange(len(records)), records["to_move"].astype(np.int64)
    king = (records["gone"] | records["hands"][own]) >> KING & 1 == 0
    known = counted(found.observations)[:, MERMAID] + (records["gone_counts"] >> 4 * (MERMAID - ESCAPE) & 15)
    return np.stack([known < MERMAIDS, king, king], axis=1)
