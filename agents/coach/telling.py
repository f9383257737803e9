"""A review in words: headings, sentences and tables, for a page or the terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.coach.choice import POINTS, WIN, Choice, loss_of
from pirate_envs.agents.coach.luck import CARDS
from pirate_envs.agents.report import markdown_table

if TYPE_CHECKING:
    from pirate_envs.agents.coach.ladder import Placed
    from pirate_envs.agents.coach.reviewing import Judged, Review

SHOWN = 3  # decisions with their positions
ACTIONS = 5  # that are shown of a decision, and the one that was played
NAMES = {WIN: " of the win", POINTS: " points"}
NOTHING = 1e-6  # what rounding leaves of nothing
WHO_WON = "the win is shared by seats {}"

EXACT = "Every number is exact for a turn that is then played for the most points."
WINS = "Chances of winning are solved for two; at a larger table they are those against the best of the others."
BY_WORLDS = (
    "Every action was tried in the same imagined worlds, up to {worlds} of them, which know no more than the seat did; "
    "{policy} played on. Points are those to the end of the hand, turn or cycle above the mean of the others'; brackets are "
    "95 % intervals. The worlds agree with the rules and with all cards seen"
)
BY_BELIEF = ", and are drawn by what the others' decisions say of their cards: an estimate, for players like the policy."
ALIKE = ", but do not ask what the others' decisions tell of their cards: "
NOT_SHOWN = "a hand's own worth would come out too high and is not shown, differences between actions are."
CORRECTED = "what an action comes to is corrected by what came true at tables like this one."
BELOW_ZERO = (
    " Losses are measured in other worlds than those that chose the best: where two are much alike one may come out below 0."
)


FORETOLD = (
    " Shares of the win are those of matches that end there, and else what {policy}'s value head expects of the seat then, "
    "among players like the policy."
)


NO_LADDER = (
    "Not told: the shipped players' error rates were not measured by this policy at a table like this one, with as many seats "
    "and the same rules."
)

LUCK = (
    "Luck is what a deal was worth less what deals are worth on the same past; its mean is 0, whoever plays. It is an estimate "
    "of a part: how the cards then met one's decisions is not in it."
)


@dataclass(frozen=True)
class Heading:
    """Of a part."""

    text: str


@dataclass(frozen=True)
class Sheet:
    """A table, its first column text and the others as `align` says (report.markdown_table)."""

    head: list[str]
    rows: list[list[str]]
    align: str


@dataclass(frozen=True)
class Position:
    """What the seat saw, in lines as they are."""

    text: str


Block = Heading | Sheet | Position | str


def told(review: Review) -> list[Block]:
    """The review from its result to how to read it."""
    game = review.game
    title = f"{game.title}: seat {review.seat} of {game.players}"
    blocks: list[Block] = [Heading(title), outcome(review), *errors(review)]
    mistakes = review.mistakes()
    if mistakes:
        blocks += [Heading("What cost most"), overview(mistakes, review.digits)]
        for judged in mistakes[:SHOWN]:
            position = Position(game.render(judged.record, review.seat))
            blocks += [Heading(f"Decision {judged.at + 1}: {judged.played.name}"), position, options(judged, review.digits)]
    placed = review.placed()
    if placed or (review.judged and review.ladder is None):
        blocks += [Heading("Who plays like this"), *(ladder(review, placed) if placed else [NO_LADDER])]
    if review.luck:
        blocks += [Heading("Luck"), *(luck_of_strokes(review) if review.strokes() else luck(review))]
    return [*blocks, Heading("How to read this"), how_to_read(review)]


def markdown(blocks: list[Block]) -> str:
    """As Markdown."""
    texts, level = [], "#"
    for block in blocks:
        if isinstance(block, Heading):
            texts.append(f"{level} {block.text}")
            level = "##"
        elif isinstance(block, Position):
            texts.append(f"```text\n{block.text.rstrip()}\n```")
        elif isinstance(block, Sheet):
            texts.append(markdown_table(block.head, block.rows, block.align).rstrip())
        else:
            texts.append(block)
    return "\n\n".join(texts) + "\n"


# -- the parts ---------------------------------------------------------------------------------------------------------


def outcome(review: Review) -> str:
    """How the match ended."""
    points = ", ".join(f"seat {seat} {score:,}" for seat, score in enumerate(review.scores))
    winners = [str(seat) for seat in review.winners]
    won = f"seat {winners[0]} won" if len(winners) == 1 else WHO_WON.format(", ".join(winners))
    return f"{review.game.id}, match {review.replay.seed}: {won}. Points: {points}."


def errors(review: Review) -> list[Block]:
    """How many decisions, what they cost, and how they are graded."""
    choices = len(review.judged)
    if not choices:
        return [f"{review.decisions} decisions, and in none of them a choice."]
    unclear = sum(judged.played.cannot_tell and judged.played is not judged.best for judged in review.judged)
    texts = [
        f"{review.decisions} decisions, {choices} of them with a choice; {review.as_good} were the coach's own or as good."
    ]
    if unclear:
        texts[0] += f" In {unclear} more it cannot tell whether they were worse."
    for unit, rate in review.rates().items():
        total = Interval(*(choices * number for number in (rate.mean, rate.low, rate.high)))
        each, every = (amount(lost, unit, NAMES[unit], review.digits) for lost in (rate, total))
        texts.append(f"Error rate: {each} a decision with a choice; in all {every}.")
    counts = {"blunders": "blunder", "mistakes": "mistake", "inaccuracies": "inaccuracy"}
    texts.append(", ".join(f"{name} {review.count(grade)}" for name, grade in counts.items()).capitalize() + ".")
    return list(texts)


def overview(mistakes: list[Judged], digits: int) -> Sheet:
    """The dearest decisions, a row each."""
    rows = [
        [f"{each.at + 1}", each.played.name, each.best.name, amount(each.loss, each.unit, NAMES[each.unit], digits), each.grade]
        for each in mistakes
    ]
    return Sheet(["decision", "played", "the coach's choice", "lost", "grade"], rows, "rllrl")


def options(judged: Judged, digits: int) -> Sheet:
    """What could be done, the best first."""
    shown = [choice for i, choice in enumerate(judged.choices) if i < ACTIONS or choice is judged.played]
    wins = all(choice.win_regret is not None for choice in shown) and any(choice.win.high > 0 for choice in shown if choice.win)
    columns: dict[str, Callable[[Choice], str]] = {
        "action": lambda choice: f"{choice.name} (played)" if choice is judged.played else choice.name
    }
    if wins:
        columns["loses of the win"] = lambda choice: amount(loss_of(choice, WIN), WIN)
    columns["loses points"] = lambda choice: amount(choice.regret, POINTS, digits=digits)
    if all(chance(choice) for choice in shown):
        columns["win"] = chance
    if all(worth(choice) for choice in shown):
        columns["points"] = lambda choice: worth(choice, digits)
    columns["policy"] = lambda choice: "" if choice.policy is None else f"{choice.policy:.0%}"
    return Sheet(list(columns), [[tell(choice) for tell in columns.values()] for choice in shown], "lr")


def worth(choice: Choice, digits: int = 1) -> str:
    """Its points: exact ones, or those by worlds above the others' mean if they come true on average; else nothing."""
    if choice.worlds == 0:
        return f"{choice.value.mean:,.0f}"
    return f"{choice.value.mean:+,.{digits}f}" if choice.calibrated else ""


def chance(choice: Choice) -> str:
    """Its share of the win, if that is known or comes true on average; else nothing."""
    return f"{choice.win.mean:.1%}" if choice.win is not None and choice.win_calibrated else ""


def luck(review: Review) -> list[Block]:
    """Points as what was to be expected, luck, and what was lost."""
    turns = review.luck
    total = {key: sum(getattr(turn, key) for turn in turns) for key in ("expected", "card_luck", "dice_luck", "lost", "points")}
    sentence = (
        f"{len(turns)} turns brought {total['points']:,.0f} points = {total['expected']:,.0f} expected before the cards were "
        f"drawn {total['card_luck']:+,.0f} luck of cards {total['dice_luck']:+,.0f} luck of dice - {total['lost']:,.0f} lost "
        "by decisions. Points of the Island of Skulls are those that each opponent lost."
    )
    rows = [
        [f"{number}", turn.card.replace("_", " "), *(f"{round(getattr(turn, key)):,}" for key in total)]
        for number, turn in enumerate(turns, 1)
    ]
    for row, turn in zip(rows, turns, strict=True):
        row[-1] += " (Island)" if turn.island else ""
    return [sentence, Sheet(["turn", "card", "expected", "luck of cards", "luck of dice", "lost", "points"], rows, "rlrrrrr")]


def luck_of_strokes(review: Review) -> list[Block]:
    """What chance brought at each deal, and what is left of the result without it."""
    strokes, seat, digits = review.strokes(), review.seat, review.digits
    own, others = review.scores[seat], sum(review.scores) - review.scores[seat]
    margin = own - others / (review.game.players - 1)
    won = (seat in review.winners) / len(review.winners)
    points, win = sum(stroke.points for stroke in strokes), sum(stroke.win for stroke in strokes)
    sentence = (
        f"{margin:+,.{digits}f} points above the mean of the others = {points:+,.{digits}f} luck "
        f"{margin - points:+,.{digits}f} without it. "
        f"Of the win: {won:.0%} = {win:+.1%} luck {won - win:+.1%} without it."
    )
    rows = [
        [f"{stroke.at + 1}", "deal" if stroke.kind == CARDS else "drawn", f"{stroke.points:+,.{digits}f}", f"{stroke.win:+.1%}"]
        for stroke in strokes
    ]
    return [sentence, Sheet(["before decision", "luck of", "points", "of the win"], rows, "rlrr"), LUCK]


def ladder(review: Review, placed: list[Placed]) -> list[Block]:
    """Where the error rate stands among the shipped players, a row a kind of decision."""
    rows = [
        [each.kind, f"{each.decisions}", amount(each.rate, each.unit, NAMES[each.unit], review.digits), likeness(each)]
        for each in placed
    ]
    return [Sheet(["decisions", "number", "lost a decision", "like"], rows, "lrrl")]


def likeness(placed: Placed) -> str:
    """Whose error rate it is like."""
    if len(placed.like) == 1:
        return placed.like[0]
    if placed.like:
        said = "one match tells little" if placed.tells_little else "cannot tell"
        return f"nearest {placed.nearest}; {said}, from {placed.like[0]} to {placed.like[-1]}"
    if placed.worse and placed.better:
        return f"between {placed.worse} and {placed.better}"
    return f"worse than {placed.better}" if placed.better else f"better than {placed.worse}"


def how_to_read(review: Review) -> str:
    """What the numbers are, and what they are not."""
    if not review.is_exact:
        told = BY_WORLDS.format(worlds=review.budget.worlds, policy=review.budget.policy)
        foretold = FORETOLD.format(policy=review.budget.policy) if review.unit == WIN else ""
        corrected = any(judged.best.calibrated for judged in review.judged)
        believed = BY_BELIEF + (f" {CORRECTED.capitalize()}" if corrected else "")
        alike = ALIKE + (CORRECTED if corrected else NOT_SHOWN)
        return told + (believed if review.by_belief else alike) + BELOW_ZERO + foretold
    return f"{EXACT} {WINS}" if review.unit == WIN else EXACT


# -- words -------------------------------------------------------------------------------------------------------------


def amount(lost: Interval, unit: str, named: str = "", digits: int = 1) -> str:
    """A number of points or a share of the win, with its interval if it has one; `named`: what stands after the number;
    `digits`: of points after the dot.
    """
    form = ".1%" if unit == WIN else f",.{digits}f"
    number = f"{abs(lost.mean) if abs(lost.mean) < NOTHING else lost.mean:{form}}{named}"
    return number if lost.low == lost.high else f"{number} [{lost.low:{form}}, {lost.high:{form}}]"
