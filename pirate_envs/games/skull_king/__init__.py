"""Skull King."""

from pirate_envs.core.game import Game, verbs_from
from pirate_envs.games.skull_king import heuristics, observation, rules, view
from pirate_envs.games.skull_king.options import SkullKingOptions


def longest_match(options: SkullKingOptions) -> int:
    """Every player bids once a hand and plays each card."""
    return options.players * sum(1 + hand for hand in range(options.first_hand, options.last_hand + 1))


GAME = Game(
    name="skull_king",
    title="Skull King",
    version=0,
    options=SkullKingOptions(),
    state=rules.STATE,
    actions=rules.ACTIONS,
    layout=observation.LAYOUT,
    scale=observation.SCORE_SCALE,
    longest_match=longest_match,
    per_seat=("hands", "scores", "counts", "bonus", "bids", "tricks_won", "voids"),
    seat_valued=("first_leader", "leader", "winning", "last_leader", "last_winner"),
    rule_players=("simple", "expected_points"),
    action_kinds={
        "bid": range(rules.PLAY),
        "play a number": range(rules.PLAY, rules.PLAY + rules.NUMBERS),
        "play a special": range(rules.PLAY + rules.NUMBERS, rules.ACTIONS),
    },
    verbs=verbs_from(rules, observation, heuristics),
    notation=view,
    manual=__doc__,
)
