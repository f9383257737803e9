"""Kuhn poker: what the house is told of the game."""

import kuhn_poker
from kuhn_poker import notation, observation, rules
from kuhn_poker.options import KuhnPokerOptions
from kuhn_poker.state import RANGES, STATE
from pirate_envs.core.game import Game, verbs_from

GAME = Game(
    name="kuhn_poker",
    title="Kuhn poker",
    version=kuhn_poker.VERSION,
    manual=kuhn_poker.__doc__ or "",
    options=KuhnPokerOptions(),
    state=STATE,
    actions=rules.ACTIONS,
    layout=observation.LAYOUT,
    scale=1.0,  # a chip
    longest_match=lambda options: 3,
    verbs=verbs_from(rules, observation),
    per_seat=("cards", "chips", "points"),
    seat_valued=("first",),
    ranges=RANGES,
    notation=notation,
    action_kinds={"check or fold": [rules.PASS], "bet or call": [rules.BET]},
)
