"""A small Skull King, solved: two players, one hand of two cards each, six cards of which all know which they are.

    python -m experiments.studies.small_skull_king               solve it and print the strategy
    python -m experiments.studies.small_skull_king --write       and keep it in experiments/results/skull_king_small

The game is OpenSpiel's view of ours (pirate_envs.doors.openspiel); OpenSpiel's CFR+ solves it and measures how far the strategy
is from an equilibrium. What is paid is the difference of the two seats' points. All figures are exact sums over all lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from tqdm import trange

from experiments.command import RESULTS, run_command
from pirate_envs.agents.report import Results, markdown_table
from pirate_envs.core.extras import import_extra
from pirate_envs.core.options import whole_number

FOLDER = RESULTS / "skull_king_small"
COMMAND = "python -m experiments.studies.small_skull_king --write"
CARDS = ("escape", "yellow_3", "yellow_9", "black_4", "black_9", "pirate", "skull_king")
HAND = 2
SEATS = ("first seat", "second seat")
RARE = 1e-3  # probability below which a line of the strategy is not told
Policy = Mapping[str, Sequence[tuple[int, float]]]
"""What the seat to move remembers -> its actions with their probabilities."""


@dataclass
class SmallSkullKingSettings:
    """Solve a small Skull King."""

    iterations: int = 2000
    """of CFR+"""
    write: bool = False
    """keep the result in experiments/results/skull_king_small"""


@dataclass(frozen=True)
class Line:
    """One way through the game, with its probability when both play the strategy."""

    chance: float
    hands: tuple[tuple[str, ...], ...]
    """Of both seats, in the order of CARDS."""
    bids: tuple[int, ...]
    plays: tuple[str, ...]
    """The four cards in the order in which they were played."""
    leader: int
    """Who led the second trick."""
    tricks: tuple[int, ...]
    points: tuple[int, ...]


# -- solving -----------------------------------------------------------------------------------------------------------


def small_game(reward: str = "margin") -> Any:
    """The `pyspiel.Game`."""
    door = import_extra("pirate_envs.doors.openspiel", "solving a game", "openspiel")
    options = {"players": 2, "first_hand": HAND, "last_hand": HAND, "reward": reward}
    return door.load("skull_king", deals=" ".join(CARDS), **options)


def solve(tree: Any, iterations: int) -> Any:
    """OpenSpiel's policy after so many iterations of CFR+ on a cached tree."""
    import pyspiel

    solver = pyspiel.CFRPlusSolver(tree)
    for _ in trange(iterations, unit="iterations", disable=None):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


def by_rule(game: Any, choose: Callable[[Any], Sequence[tuple[int, float]]]) -> dict[str, Sequence[tuple[int, float]]]:
    """The policy of a player that decides by the moment."""
    policy: dict[str, Sequence[tuple[int, float]]] = {}
    waiting = [deal for deal, _ in game.deals]
    while waiting:
        moment = waiting.pop()
        if not moment.over:
            policy[moment.memory(moment.mover)] = choose(moment)
            waiting += [moment.after(action) for action in moment.legal]
    return policy


def uniform(moment: Any) -> list[tuple[int, float]]:
    """Any legal action."""
    return [(action, 1 / len(moment.legal)) for action in moment.legal]


def strongest_rule_player(moment: Any) -> list[tuple[int, float]]:
    """What the strongest rule player does; it knows nothing of the small deck."""
    chosen = moment.game.rule_action(moment.record)
    return [(action, float(action == chosen)) for action in moment.legal]


def points_exploitable(game: Any, tree: Any, policy: Any) -> float:
    """What the best answers to the policy gain, in points a hand, mean of both seats."""
    import pyspiel

    known = policy if hasattr(policy, "action_probabilities") else pyspiel.TabularPolicy(policy)
    return float(pyspiel.exploitability(tree, known) * game.rules.scale)


# -- reading the strategy ----------------------------------------------------------------------------------------------


def lines_of(game: Any, policy: Policy) -> Iterator[Line]:
    """Every line that comes up."""
    waiting: list[tuple[float, Any, Any, tuple[str, ...]]] = [(chance, deal, deal, ()) for deal, chance in game.deals]
    while waiting:
        chance, deal, moment, said = waiting.pop()
        g = moment.record
        if moment.over:
            yield _line(chance, deal, moment, said)
            continue
        for action, share in policy[moment.memory(moment.mover)]:
            if share * chance > 0:
                waiting.append((chance * share, deal, moment.after(action), (*said, game.rules.action_name(g, action))))


def _line(chance: float, deal: Any, end: Any, said: Sequence[str]) -> Line:
    rules, g = end.game, end.record
    hands = tuple(tuple(sorted(hand, key=CARDS.index)) for hand in rules.view(deal.record)["hands"])
    bids = tuple(int(name.removeprefix("bid ")) for name in said[:2])
    plays = tuple(name.removeprefix("play ") for name in said[2:])
    tricks = tuple(int(count) for count in g.tricks_won[:2])
    return Line(chance, hands, bids, plays, int(g.last_leader), tricks, tuple(rules.payoffs(g).tolist()))


def share(lines: Sequence[Line], of: Callable[[Line], bool], among: Callable[[Line], bool] = lambda _: True) -> float:
    """How often `of` holds where `among` does; nan if that never comes up."""
    total = sum(line.chance for line in lines if among(line))
    return sum(line.chance for line in lines if among(line) and of(line)) / total if total > RARE / 100 else float("nan")


def percent(number: float) -> str:
    """'37 %', nothing where there is no number."""
    return "" if np.isnan(number) else f"{number:.0%}"


def short(card: str) -> str:
    """'yellow 3', 'king'."""
    return card.removeprefix("skull_").replace("_", " ")


def named(hand: Sequence[str]) -> str:
    """'pirate, king'."""
    return ", ".join(map(short, hand))


def bids_table(lines: Sequence[Line]) -> str:
    """How often each hand bids what in each seat, how often it keeps it, and what it brings."""
    rows = []
    for hand in sorted({line.hands[0] for line in lines}, key=lambda hand: [CARDS.index(card) for card in hand]):
        row = [named(hand)]
        for seat in (0, 1):
            held = [line for line in lines if line.hands[seat] == hand]
            row += [percent(share(held, lambda line, seat=seat, bid=bid: line.bids[seat] == bid)) for bid in range(HAND + 1)]
            kept = share(held, lambda line, seat=seat: line.bids[seat] == line.tricks[seat])
            margin = sum(line.chance * (line.points[seat] - line.points[1 - seat]) for line in held)
            row += [percent(kept), f"{margin / sum(line.chance for line in held):+.1f}"]
        rows.append(row)
    head = ["hand", *(f"{seat}: {what}" for seat in SEATS for what in ("bids 0", "1", "2", "keeps it", "margin"))]
    return markdown_table(head, rows, "lr")


def outcomes_table(lines: Sequence[Line]) -> str:
    """How the pair of bids comes out."""
    rows = []
    for bids in sorted({line.bids for line in lines}):
        here = [line for line in lines if line.bids == bids]
        chance = sum(line.chance for line in here)
        kept = [share(here, lambda line, seat=seat: line.bids[seat] == line.tricks[seat]) for seat in (0, 1)]
        points = [sum(line.chance * line.points[seat] for line in here) / chance for seat in (0, 1)]
        if chance > RARE:
            rows.append([bids[0], bids[1], f"{chance:.1%}", *map(percent, kept), *(f"{each:+.1f}" for each in points)])
    head = ["first bids", "second bids", "comes up", "first keeps", "second keeps", "first's points", "second's points"]
    return markdown_table(head, rows, "r")


def leads_table(lines: Sequence[Line]) -> str:
    """Which of its two cards the first seat leads, by hand, own bid and the other's."""
    rows = []
    for hand in sorted({line.hands[0] for line in lines}, key=lambda hand: [CARDS.index(card) for card in hand]):
        for bid in range(HAND + 1):
            held = [line for line in lines if line.hands[0] == hand and line.bids[0] == bid]
            if sum(line.chance for line in held) > RARE * sum(line.chance for line in lines if line.hands[0] == hand):
                first = [
                    percent(share(held, lambda line: line.plays[0] == hand[0], lambda line, other=other: line.bids[1] == other))
                    for other in range(HAND + 1)
                ]
                rows.append([named(hand), bid, short(hand[0]), *first])
    head = ["hand", "own bid", "leads this card", *(f"if the other bid {other}" for other in range(HAND + 1))]
    return markdown_table(head, rows, "lrlr")


# -- the page ----------------------------------------------------------------------------------------------------------


def text(figures: Mapping[str, Any], lines: Sequence[Line]) -> str:
    """The strategy in tables."""
    margins = f"{figures['value']:+.2f} points a hand for the first seat"
    measured = [["this strategy", f"{figures['exploitable']:.4f}"], ["uniform", f"{figures['uniform_exploitable']:.2f}"]]
    measured.append(["`rules:strongest`", f"{figures['rules_exploitable']:.2f}"])
    return "\n\n".join(
        [
            f"{figures['deals']} deals, {figures['information_states']:,} information states, {figures['iterations']:,} iterations of "
            f"CFR+. Worth {margins}. What a best answer gains on average over the seats, in points a hand:",
            markdown_table(["player", "exploitable by"], measured, "lr").rstrip(),
            "Bids by hand, how often they are kept, and the mean margin in points:",
            bids_table(lines).rstrip(),
            "What the bids lead to:",
            outcomes_table(lines).rstrip(),
            "How often the first seat leads the lower card of its hand, once both bids are seen:",
            leads_table(lines).rstrip(),
            f"Exact sums over all lines of play. Command: `{COMMAND}`\n",
        ]
    )


def main(settings: SmallSkullKingSettings) -> None:
    """Solve, print and perhaps write."""
    whole_number("--iterations", settings.iterations, 1, 10**6)
    game = small_game()
    import pyspiel

    tree = pyspiel.convert_to_cached_tree(game)
    solution = solve(tree, settings.iterations)
    policy = solution.policy_table()
    lines = list(lines_of(game, policy))
    figures = {
        "command": COMMAND,
        "cards": CARDS,
        "iterations": settings.iterations,
        "deals": len(game.deals),
        "information_states": len(policy),
        "exploitable": points_exploitable(game, tree, solution),
        "uniform_exploitable": points_exploitable(game, tree, by_rule(game, uniform)),
        "rules_exploitable": points_exploitable(game, tree, by_rule(game, strongest_rule_player)),
        "value": sum(line.chance * (line.points[0] - line.points[1]) for line in lines),
    }
    page = text(figures, lines)
    print(page)
    if settings.write:
        content = {**figures, "lines": [asdict(line) for line in lines if line.chance > 1e-6]}
        Results(FOLDER).write("strategy", content, page)


if __name__ == "__main__":
    run_command(main, SmallSkullKingSettings, __doc__)
