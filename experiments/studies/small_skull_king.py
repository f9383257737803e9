"""A small Skull King, solved: two players, one hand of two cards each, dealt from seven cards that both know.

    python -m experiments.studies.small_skull_king               solve it and print the strategy
    python -m experiments.studies.small_skull_king --write       and keep it in experiments/results/skull_king_small

The game is OpenSpiel's view of ours (pirate_envs.doors.openspiel); OpenSpiel's CFR+ solves it and measures how far the strategy
is from an equilibrium. What is paid is the difference of the two seats' points. All figures are exact sums over all lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

from tqdm import trange

from experiments.command import RESULTS, run_command
from pirate_envs.agents.report import Results, markdown_table
from pirate_envs.core.extras import import_extra
from pirate_envs.core.options import whole_number

FOLDER = RESULTS / "skull_king_small"
COMMAND = "python -m experiments.studies.small_skull_king --write"
CARDS = ("escape", "yellow_3", "yellow_9", "black_4", "black_9", "pirate", "skull_king")
HAND = 2
RARE = 1e-3  # share below which a choice is not told
Choice = Sequence[tuple[int, float]]
"""Actions with their probabilities."""
Policy = Mapping[str, Choice]
"""What the seat to move remembers -> what it does."""


@dataclass
class SmallSkullKingSettings:
    """Solve a small Skull King."""

    iterations: int = 1000
    """of CFR+"""
    write: bool = False
    """keep the result in experiments/results/skull_king_small"""


@dataclass(frozen=True)
class Line:
    """One way through the game, with its probability when both play the strategy."""

    chance: float
    hands: tuple[tuple[str, ...], ...]
    """By seat, each in the order of CARDS."""
    bids: tuple[int, ...]
    plays: tuple[str, ...]
    """The four cards in the order in which they were played."""
    tricks: tuple[int, ...]
    points: tuple[int, ...]

    def kept(self, seat: int) -> bool:
        """Whether the seat won as many tricks as it bid."""
        return self.bids[seat] == self.tricks[seat]


@dataclass(frozen=True)
class HandFigures:
    """What a seat does with a hand and what it brings."""

    hand: tuple[str, ...]
    seat: int
    bids: tuple[float, ...]
    """Share of each bid, from 0 on."""
    kept: float
    margin: float
    """Mean points above the other's."""


@dataclass(frozen=True)
class BidsFigures:
    """How a pair of bids comes out."""

    bids: tuple[int, ...]
    share: float
    kept: tuple[float, ...]
    points: tuple[float, ...]


@dataclass(frozen=True)
class LeadFigures:
    """How often the first seat leads the first card of its hand, once both bids are seen."""

    hand: tuple[str, ...]
    bids: tuple[int, ...]
    first_card: float


# -- solving -----------------------------------------------------------------------------------------------------------


def spiel() -> ModuleType:
    """OpenSpiel. Raises MissingExtraError."""
    return import_extra("pyspiel", "solving a game", "openspiel")


def small_game() -> Any:
    """The `pyspiel.Game`. Raises MissingExtraError."""
    door = import_extra("pirate_envs.doors.openspiel", "solving a game", "openspiel")
    options = {"players": 2, "first_hand": HAND, "last_hand": HAND, "reward": "margin"}
    return door.load("skull_king", deals=" ".join(CARDS), **options)


def solve(tree: Any, iterations: int) -> Any:
    """OpenSpiel's policy after so many iterations of CFR+ on a cached tree."""
    solver = spiel().CFRPlusSolver(tree)
    for _ in trange(iterations, unit="iterations", disable=None):
        solver.evaluate_and_update_policy()
    return solver.tabular_average_policy()


def by_rule(game: Any, choose: Callable[[Any], Choice]) -> Policy:
    """The policy of a player that decides by the moment."""
    policy: dict[str, Choice] = {}
    waiting = [deal for deal, _ in game.deals]
    while waiting:
        moment = waiting.pop()
        if not moment.over:
            policy[moment.memory(moment.mover)] = choose(moment)
            waiting += [moment.after(action) for action in moment.legal]
    return policy


def uniform(moment: Any) -> Choice:
    """Any legal action."""
    return [(action, 1 / len(moment.legal)) for action in moment.legal]


def strongest_rule_player(moment: Any) -> Choice:
    """What the strongest rule player does; it knows nothing of the small deck."""
    chosen = moment.game.rule_action(moment.record)
    return [(action, float(action == chosen)) for action in moment.legal]


def points_exploitable(game: Any, tree: Any, policy: Policy) -> float:
    """What the best answers to the policy gain, in points a hand, mean of both seats."""
    return float(spiel().exploitability(tree, spiel().TabularPolicy(policy)) * game.rules.scale)


# -- reading the strategy ----------------------------------------------------------------------------------------------


def lines_of(game: Any, policy: Policy) -> Iterator[Line]:
    """Every line that comes up."""
    waiting: list[tuple[float, Any, Any, tuple[str, ...]]] = [(chance, deal, deal, ()) for deal, chance in game.deals]
    while waiting:
        chance, deal, moment, said = waiting.pop()
        if moment.over:
            yield _line(chance, deal, moment, said)
            continue
        for action, share in policy[moment.memory(moment.mover)]:
            if share > 0:
                name = game.rules.action_name(moment.record, action)
                waiting.append((chance * share, deal, moment.after(action), (*said, name)))


def _line(chance: float, deal: Any, end: Any, said: Sequence[str]) -> Line:
    hands = tuple(tuple(sorted(hand, key=CARDS.index)) for hand in end.game.view(deal.record)["hands"])
    bids = tuple(int(name.removeprefix("bid ")) for name in said[:2])
    plays = tuple(name.removeprefix("play ") for name in said[2:])
    return Line(
        chance, hands, bids, plays, tuple(end.record.tricks_won[:2].tolist()), tuple(end.game.payoffs(end.record).tolist())
    )


def total(lines: Sequence[Line]) -> float:
    """How likely these lines are together."""
    return sum(line.chance for line in lines)


def mean(lines: Sequence[Line], of: Callable[[Line], float]) -> float:
    """The mean over these lines."""
    return sum(line.chance * of(line) for line in lines) / total(lines)


def hand_figures(lines: Sequence[Line], hand: tuple[str, ...], seat: int) -> HandFigures:
    """One hand in one seat."""
    held = [line for line in lines if line.hands[seat] == hand]
    bids = tuple(mean(held, lambda line, bid=bid: float(line.bids[seat] == bid)) for bid in range(HAND + 1))  # type: ignore[misc]
    margin = mean(held, lambda line: line.points[seat] - line.points[1 - seat])
    return HandFigures(hand, seat, bids, mean(held, lambda line: float(line.kept(seat))), margin)


def bids_figures(lines: Sequence[Line], bids: tuple[int, ...]) -> BidsFigures:
    """One pair of bids."""
    made = [line for line in lines if line.bids == bids]
    kept = tuple(mean(made, lambda line, seat=seat: float(line.kept(seat))) for seat in (0, 1))  # type: ignore[misc]
    points = tuple(mean(made, lambda line, seat=seat: line.points[seat]) for seat in (0, 1))  # type: ignore[misc]
    return BidsFigures(bids, total(made), kept, points)


def lead_figures(lines: Sequence[Line], hand: tuple[str, ...], bids: tuple[int, ...]) -> LeadFigures | None:
    """One hand of the first seat after these bids; None where that hardly comes up."""
    held = [line for line in lines if line.hands[0] == hand]
    made = [line for line in held if line.bids == bids]
    if total(made) < RARE * total(held):
        return None
    return LeadFigures(hand, bids, mean(made, lambda line: float(line.plays[0] == hand[0])))


# -- the tables --------------------------------------------------------------------------------------------------------


def short(card: str) -> str:
    """'yellow 3', 'king'."""
    return card.removeprefix("skull_").replace("_", " ")


def mixture(shares: Mapping[str, float]) -> str:
    """'1', or '1 (71%), 2 (29%)'."""
    told = {name: share for name, share in shares.items() if share > RARE}
    return next(iter(told)) if len(told) == 1 else ", ".join(f"{name} ({share:.0%})" for name, share in told.items())


def lead(figures: LeadFigures | None) -> str:
    """Which card is led; 'either' where the two are led alike, which is what CFR+ does when it sees no difference."""
    if figures is None:
        return ""
    if abs(figures.first_card - 0.5) < RARE:
        return "either"
    first, second = map(short, figures.hand)
    return mixture({first: figures.first_card, second: 1 - figures.first_card})


def hands_table(first: Sequence[HandFigures], second: Sequence[HandFigures]) -> str:
    """A row for each hand."""
    rows = []
    for each in zip(first, second, strict=True):
        row = [", ".join(map(short, each[0].hand))]
        for figures in each:
            bids = mixture({str(bid): share for bid, share in enumerate(figures.bids)})
            row += [bids, f"{figures.kept:.0%}", f"{figures.margin:+.1f}"]
        rows.append(row)
    head = ["hand", *(f"{seat} {what}" for seat in ("first", "second") for what in ("bids", "keeps it", "margin"))]
    return markdown_table(head, rows, "llrrlrr")


def bids_table(rows: Sequence[BidsFigures]) -> str:
    """A row for each pair of bids."""
    cells = [
        [*each.bids, f"{each.share:.1%}", *(f"{kept:.0%}" for kept in each.kept), *(f"{points:+.1f}" for points in each.points)]
        for each in rows
    ]
    head = ["first bids", "second bids", "comes up", "first keeps it", "second keeps it", "first's points", "second's points"]
    return markdown_table(head, cells, "r")


def leads_table(lines: Sequence[Line], hands: Sequence[tuple[str, ...]]) -> str:
    """A row for each hand and bid of the first seat that is made."""
    rows = []
    for hand in hands:
        for own in range(HAND + 1):
            leads = [lead(lead_figures(lines, hand, (own, other))) for other in range(HAND + 1)]
            if any(leads):
                rows.append([", ".join(map(short, hand)), own, *leads])
    return markdown_table(["hand", "bid", *(f"leads, if the second bid {other}" for other in range(HAND + 1))], rows, "lrl")


def text(figures: Mapping[str, Any], tables: Sequence[str]) -> str:
    """The result as a page."""
    players = {"this strategy": ".4f", "uniform": ".1f", "`rules:strongest`": ".1f"}
    gains = zip(players.items(), figures["exploitable"].values(), strict=True)
    cells = [[name, f"{gain:{digits}}"] for (name, digits), gain in gains]
    hands, bids, leads = (table.rstrip() for table in tables)
    return "\n\n".join(
        [
            f"{figures['deals']} deals, {figures['information_states']:,} information states, {figures['iterations']:,} "
            f"iterations of CFR+. The hand is worth {figures['margin']:+.2f} points to the first seat. What the best answers "
            "to a player gain on average over both seats, in points a hand:",
            markdown_table(["player", "exploitable by"], cells, "lr").rstrip(),
            "By hand, for the first and the second seat: the bid, how often it is kept, the mean margin in points:",
            hands,
            "What each pair of bids leads to:",
            bids,
            "What the first seat leads, once both bids are seen (either: it makes no difference):",
            leads,
            f"Exact sums over all lines of play. Command: `{COMMAND}`\n",
        ]
    )


def study(iterations: int) -> tuple[dict[str, Any], str]:
    """The figures and the page. Raises MissingExtraError."""
    game = small_game()
    tree = spiel().convert_to_cached_tree(game)
    policy = solve(tree, iterations).policy_table()
    lines = list(lines_of(game, policy))
    hands = sorted({line.hands[0] for line in lines}, key=lambda hand: [CARDS.index(card) for card in hand])
    by_hand = [[hand_figures(lines, hand, seat) for hand in hands] for seat in (0, 1)]
    by_bids = [bids_figures(lines, bids) for bids in sorted({line.bids for line in lines})]
    by_bids = [each for each in by_bids if each.share > RARE]
    players = {"strategy": policy, "uniform": by_rule(game, uniform), "rules": by_rule(game, strongest_rule_player)}
    figures = {
        "command": COMMAND, "cards": CARDS, "iterations": iterations, "deals": len(game.deals),
        "information_states": len(policy),
        "exploitable": {name: points_exploitable(game, tree, each) for name, each in players.items()},
        "margin": mean(lines, lambda line: line.points[0] - line.points[1]),
        "hands": [asdict(each) for seat in by_hand for each in seat],
        "bids": [asdict(each) for each in by_bids],
    }  # fmt: skip
    return figures, text(figures, [hands_table(*by_hand), bids_table(by_bids), leads_table(lines, hands)])


def main(settings: SmallSkullKingSettings) -> None:
    """Solve, print and perhaps write."""
    figures, page = study(whole_number("--iterations", settings.iterations, 1, 10**6))
    print(page)
    if settings.write:
        Results(FOLDER).write("strategy", figures, page)


if __name__ == "__main__":
    run_command(main, SmallSkullKingSettings, __doc__)
