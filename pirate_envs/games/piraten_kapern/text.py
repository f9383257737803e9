"""Piraten Kapern: a view as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pirate_envs.core.sentences import labels_of
from pirate_envs.games import load
from pirate_envs.games.piraten_kapern.notation import packed_counts
from pirate_envs.games.piraten_kapern.rules import OWN, loss_under, row_under
from pirate_envs.games.piraten_kapern.state import CARD_SKULLS, CARDS, FACES, SKULL, number


def stop_worth(shown: Mapping[str, Any]) -> tuple[int, int]:
    """What stopping now would bring, and what each opponent would lose by it."""
    card, island = CARDS.index(shown["card"]), int(shown["island"])
    throw = number(packed_counts(shown["dice"]))
    return int(OWN[row_under(card, island), throw]), int(loss_under(card, throw, island))


def _stop_text(shown: Mapping[str, Any]) -> str:
    points, loss = stop_worth(shown)
    return f"{points} points" + (f", each opponent loses {loss}" if loss else "")


def _turn_text(turn: Mapping[str, Any] | None) -> str:
    if turn is None:
        return ""
    loss = f", others {turn['opponents']}" if turn["opponents"] else ""
    return f"{turn['points']:+d}{loss}  {turn['ended_by']}: {turn['card']}, {_dice_text(turn['dice'])}"


def _dice_text(faces: Sequence[str]) -> str:
    """'3 coin, 5 skull'."""
    return ", ".join(f"{count} {face}" for face, count in Counter(faces).items())


def skulls_shown(shown: Mapping[str, Any]) -> int:
    """Skulls on the dice and the card together."""
    return int(shown["dice"].count(FACES[SKULL]) + CARD_SKULLS[CARDS.index(shown["card"])])


def _table_text(shown: Mapping[str, Any]) -> str:
    skulls = skulls_shown(shown)
    place = " on the Island of Skulls" if shown["island"] else ""
    kept = f", kept {' '.join(shown['kept'])}" if shown["kept"] else ""
    return f"dice:  {' '.join(shown['dice'])}   (roll {shown['rolls']}, skulls {skulls}{place}{kept})"


def _seat_line(shown: Mapping[str, Any], seat: int, viewer: int | None) -> str:
    mark = ">" if seat == shown["to_move"] else " "
    who = f"{seat}{' (you)' if seat == viewer else ''}"
    return f"{mark} {who:<8} {shown['scores'][seat]:>6}   {_turn_text(shown['last_turns'][seat])}".rstrip()


def note_of(shown: Mapping[str, Any]) -> str:
    """The key of the words that tell what the card does: the sorceress is asked once a turn (R17)."""
    return f"note_{shown['card']}{'_used' if shown['sorceress_used'] else ''}"


def doing(shown: Mapping[str, Any]) -> str:
    if shown["over"]:
        return "the match is over" + (", cut short" if shown["truncated"] else "")
    called = shown["final_round"]
    return f"final round, called by seat {called['trigger']}" if called else f"round {shown['round']}"


def render(shown: Mapping[str, Any], seat: int | None = None) -> str:
    """A view as text: card, dice and what they are worth, then the seats (> to move) with their last turns."""
    lines = [f"Piraten Kapern: {doing(shown)}"]
    if not shown["over"]:
        note = labels_of(load("piraten_kapern"))(note_of(shown))
        lines += [
            f"card:  {shown['card']} ({note}); {sum(shown['undrawn'].values())} cards undrawn",
            _table_text(shown),
            f"stop:  {_stop_text(shown)}",
        ]
    lines.append("  seat      score   last turn")
    lines += [_seat_line(shown, other, seat) for other in range(len(shown["scores"]))]
    return "\n".join(lines)
