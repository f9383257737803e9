"""Skull King: what the house is told of the game."""

from pirate_envs.core.game import Game, verbs_from
from pirate_envs.core.record import record_type
from pirate_envs.games import skull_king
from pirate_envs.games.skull_king import (
    events,
    figures,
    laws,
    notation,
    observation,
    picture,
    players,
    positions,
    rules,
    soundness,
    text,
)
from pirate_envs.games.skull_king.options import SkullKingOptions
from pirate_envs.games.skull_king.state import ACTIONS, FIELDS, NUMBERS, PLAY, RANGES


def longest_match(options: SkullKingOptions) -> int:
    """Every player bids once a hand and plays each card."""
    return options.players * sum(1 + hand for hand in range(options.first_hand, options.last_hand + 1))


GAME = Game(
    name="skull_king",
    title="Skull King",
    version=skull_king.VERSION,
    manual=skull_king.__doc__ or "",
    options=SkullKingOptions(),
    state=record_type(FIELDS, SkullKingOptions),
    actions=ACTIONS,
    layout=observation.LAYOUT,
    scale=observation.SCORE_SCALE,
    longest_match=longest_match,
    usual_length=260.0,  # exactly: 4 x (10 bids + 55 cards)
    figures=figures.FIGURES,
    mistakes=figures.MISTAKES,
    flaws=soundness.FLAWS,
    laws=laws.conserved,
    per_seat=("hands", "scores", "counts", "bonus", "bids", "tricks_won", "voids"),
    seat_valued=("first_leader", "leader", "winning", "last_leader", "last_winner"),
    ranges=RANGES,
    rule_players=players.RULE_PLAYERS,
    action_kinds={
        "bid": range(PLAY),
        "play a number": range(PLAY, PLAY + NUMBERS),
        "play a special": range(PLAY + NUMBERS, ACTIONS),
    },
    verbs=verbs_from(rules, observation, players, figures, soundness),
    notation=notation,
    positions=positions,
    telling=events,
    render_view=text.render,
    draw_view=picture.picture,
    weights=players.SHIPPED,
)
