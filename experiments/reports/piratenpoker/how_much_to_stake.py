"""How much to stake in each round of Piratenpoker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, mean, where
from experiments.reports.lockstep import Move, each_drawn
from experiments.reports.piratenpoker.branches import ends, margin
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from pirate_envs.agents import agent
from pirate_envs.agents.player import Agent
from pirate_envs.agents.sheets.piratenpoker import FEW, STRONG, SeenTable, favourite, low_card, table, wants_gift
from pirate_envs.core.game import Game
from pirate_envs.games.piratenpoker.state import BID, FRONTS, HAND

ONE, TWO, FOUR, COLOUR, ALL = "one low card", "the best two", "the best four", "by colour", "everything"
STAKES = (ONE, TWO, FOUR, COLOUR, ALL)
FIELDS = (POLICY, RULES)
DRAWN = 1 / 80  # of the bids: about one a match
OWN_SHARK, BACK = len(FRONTS), len(FRONTS) + 1  # sides
HIGH = 8  # a front
SITUATIONS = (
    "round 1, no shark on offer",
    "round 1, a shark, nobody has one",
    "round 1, a shark, you have none, others have",
    "round 1, a shark, you have one or two",
    "round 2, no negative card",
    "round 2, a negative card, weak hand",
    "round 2, a negative card, strong hand",
    "round 3, for +5 or +6",
    "round 3, for +8 or +10",
)
TRIED = {situation: [stake for stake in STAKES[1:] if stake != FOUR or "round 3" not in situation] for situation in SITUATIONS}


def situations(seen: SeenTable, number: np.ndarray) -> np.ndarray:
    """Which of SITUATIONS, -1 for none: int64, (n,)."""
    shark, sharks, back = seen.sharks.any(axis=1), seen.own[:, OWN_SHARK], seen.own[:, BACK:].any(axis=1)
    high, saved = seen.fronts.max(axis=1) >= HIGH, wants_gift(seen)
    first, second = number == 1, number == 2
    chosen = (
        first & ~shark,
        first & shark & (sharks == 0) & ~seen.others_sharks,
        first & shark & (sharks == 0) & seen.others_sharks,
        first & shark & np.isin(sharks, (1, 2)),
        second & ~back,
        second & back & saved,
        second & back & ~saved,
        (number == 3) & ~high,
        (number == 3) & high,
    )
    return np.select(chosen, range(len(SITUATIONS)), -1)


def best(seen: SeenTable, number: np.ndarray, count: int) -> np.ndarray:
    """The bid of so many cards of highest worth, 0 where one has no more than those: int64, (n,)."""
    doubled = (number == 3)[:, None] & (seen.colours == favourite(seen)[:, None])
    worth = np.where(seen.numbers > 0, seen.numbers * (1 + doubled), 0) * HAND - np.arange(HAND)
    staked = (1 << worth.argsort(axis=1)[:, ::-1][:, :count]).sum(axis=1)
    return np.where((seen.numbers > 0).sum(axis=1) > count, staked, 0)  # type: ignore[no-any-return]


def by_colour(seen: SeenTable, number: np.ndarray) -> np.ndarray:
    """In rounds 1 and 2 all cards that are not of one's colour, in the third those that are; 0 for all or none of them."""
    chosen = (seen.colours == favourite(seen)[:, None]) == (number == 3)[:, None]
    held = seen.numbers > 0
    staked = ((chosen & held) << np.arange(HAND)).sum(axis=1)
    return np.where((chosen | ~held).all(axis=1), 0, staked)


def stakes(seen: SeenTable, number: np.ndarray) -> np.ndarray:
    """By STAKES the bid, 0 where there is no such one: int64, (n, 5)."""
    everything = (1 << (seen.numbers > 0).sum(axis=1)) - 1
    told = (low_card(seen), best(seen, number, 2), best(seen, number, 4), by_colour(seen, number), everything)
    return np.stack(told, axis=1)


class HowMuchToStake(Report):
    """The same decision with one card, with some, and with all, each played on to the end."""

    game = "piratenpoker"
    name = "how_much_to_stake"
    question = Registered(
        title="How much to stake?",
        asked="What do more cards than one bring in each of the three rounds, and which chance of the round do they buy?",
        population=f"Bids with at least two cards in hand of matches of four equal players: {DRAWN:.2%} of them, drawn one by "
        "one.",
        estimate="Points at the end less the mean of the others', a larger stake less one low card, the same cards and the "
        "same players from there on. One's colour: of the loot on offer, that in which the cards add up to most. One low card: "
        "the lowest, one's colour counted 3 higher. By colour: in rounds 1 and 2 all cards but one's colour, in round 3 only "
        f"it. A weak hand: one's colour counted twice it comes to {STRONG} or less, and the others hold more than {FEW} cards.",
        smallest=1.0,
        deals={EXPLORE: 12_000, CONFIRM: 48_000},
        tests=tuple(f"{situation}: {stake}" for situation in SITUATIONS for stake in TRIED[situation]),
        among=(POLICY, RULES, "rules:plain"),
    )
    size = (10.5, 6.0)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        found = each_drawn(game, player, deals, _may_stake_two, DRAWN)
        seen, number = table(found.records, game.players), found.records["round_number"].astype(np.int64)
        seats, tried = found.records["to_move"].astype(np.int64), stakes(seen, number)
        points, won = (np.full(tried.shape, np.nan) for _ in range(2))
        for at in range(len(STAKES)):
            may = tried[:, at] > 0
            ended = ends(game, player, found.records[may], tried[may, at])
            points[may, at], won[may, at] = margin(ended.points, seats[may]), ended.winner == seats[may]
        return {"deal": found.deal, "situation": situations(seen, number), "gain": points - points[:, :1], "won": won}

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        told = {}
        for at, situation in enumerate(SITUATIONS):
            part = where(rows, rows["situation"] == at)
            for stake in TRIED[situation]:
                column = STAKES.index(stake)
                may = ~np.isnan(part["gain"][:, column])
                told[f"{situation}: {stake}"] = mean(part["gain"][may, column], part["deal"][may])
        return told

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        found, numbers = np.unique(rows["deal"], return_inverse=True)
        return {**rows, "gain": rows["gain"] * chance.choice((-1.0, 1.0), len(found))[numbers][:, None]}

    def describe(self, rows: Rows) -> dict[str, list[float]]:
        """By situation, how often each of STAKES wins its round."""
        told = {}
        for at, situation in enumerate(SITUATIONS):
            won = rows["won"][rows["situation"] == at]
            tries = (~np.isnan(won)).sum(axis=0)
            told[situation] = (np.nansum(won, axis=0) / np.maximum(tries, 1)).tolist()
        return told

    def rules(self, game: Game, fitted: Any) -> Mapping[str, Mapping[str, Agent]]:
        return {_against(field): {"one": agent(game, "sheet"), "field": agent(game, field)} for field in FIELDS}

    def statement(self, found: Findings) -> str:
        most = found.strongest((f"{situation}: {stake}" for situation in SITUATIONS for stake in TRIED[situation]), 1)[:1]
        if not most:
            return "No larger stake was found to bring more than one low card."
        (verdict,) = most
        situation, stake = verdict.test.rsplit(": ", 1)
        return f"Most is gained with {stake} in {situation}: {verdict.written()} points against one low card."

    def more(self, found: Findings) -> str:
        told = []
        for situation in SITUATIONS:
            stake, brings = best_stake(found, situation)
            told.append(f"{situation}: {stake}{brings}")
        won = [f"{found.matches[_against(field)]['win_share'].written('.1%')} against three of {field}" for field in FIELDS]
        return (
            f"The best of these stakes, by points against one low card: {'; '.join(told)}. The cheat sheet, which a person can "
            f"play from memory, wins {' and '.join(won)}."
        )

    def advice(self, found: Findings) -> str:
        most, wasted = (found.verdicts[f"{SITUATIONS[at]}: {ALL}"] for at in (-1, 0))
        first = found.verdicts[f"{SITUATIONS[1]}: {FOUR}"]
        said = []
        if most.matters and most.estimate.mean > 0 and wasted.matters and wasted.estimate.mean < 0:
            said.append(
                f"Save your cards for the third round and stake all of them there ({most.written()} points for a +8 or +10 "
                f"against one low card); all of them in a first round without a shark bring {wasted.written()}."
            )
        if first.matters and first.estimate.mean < 0:
            weaker = first.among[RULES].written()
            said.append(
                "While nobody has a shark leave the first one to strong players: the best four cards staked on it bring "
                f"{first.written()} points against one low card. Among {RULES} they bring {weaker}; the cheat sheet "
                "stakes all but two at every table."
            )
        return "\n".join(said)

    def draw(self, found: Findings, figure: Any) -> None:
        gains, chances = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
        places = np.arange(len(SITUATIONS))
        for column, stake in enumerate(STAKES):
            rows = np.array([at for at in places if column == 0 or stake in TRIED[SITUATIONS[at]]])
            shift = rows + 0.15 * (column - 2)
            chances.plot(
                [100 * found.extra[SITUATIONS[at]][column] for at in rows], shift, "o", ms=6, color=f"C{column}", label=stake
            )
            if column:
                told = [found[f"{SITUATIONS[at]}: {stake}"] for at in rows]
                reach = [1.96 * each.error for each in told]
                gains.errorbar([each.mean for each in told], shift, xerr=reach, fmt="o", ms=5, lw=1.6, color=f"C{column}")
        gains.axvline(0, color="C0", lw=1.5)
        gains.set_yticks(places, list(SITUATIONS))
        gains.invert_yaxis()
        gains.set_xlabel("points against one low card (95 % intervals)")
        chances.set_xlabel("rounds won, per cent")
        chances.set_xlim(0, 100)
        for axes in (gains, chances):
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.tick_params(axis="y", length=0)
            for place in places[:-1]:
                axes.axhline(place + 0.5, color="0.9", lw=0.8)
        figure.legend(*chances.get_legend_handles_labels(), loc="outside lower center", ncols=len(STAKES), frameon=False)


def _may_stake_two(records: np.ndarray, move: Move) -> np.ndarray:
    return (records["phase"] == BID) & (move.action_masks[:, 1:].sum(axis=1) > 1)  # type: ignore[no-any-return]


def best_stake(found: Findings, situation: str) -> tuple[str, str]:
    """The stake that was found to bring most, with its number; one low card if none was found to bring more than it."""
    told = {stake: found.verdicts[f"{situation}: {stake}"] for stake in TRIED[situation]}
    better = {stake: verdict for stake, verdict in told.items() if verdict.found and verdict.estimate.mean > 0}
    if not better:
        if not all(verdict.found for verdict in told.values()):
            return ONE, " (nothing was found to be better)"
        least = max(told, key=lambda each: told[each].estimate.mean)
        return ONE, f" (all others bring less, least so {least}: {told[least].estimate.written()})"
    stake = max(better, key=lambda each: better[each].estimate.mean)
    return stake, f" ({better[stake].estimate.written()})"


def _against(field: str) -> str:
    return f"the cheat sheet against 3 x {field}"
