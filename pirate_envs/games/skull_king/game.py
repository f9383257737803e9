"""Skull King: what the house is told of the game."""

from pirate_envs.core.game import Game, verbs_from
from pirate_envs.games import skull_king
from pirate_envs.games.skull_king import figures, heuristics, laws, observation, rules, view
from pirate_envs.games.skull_king.options import SkullKingOptions


def longest_match(options: SkullKingOptions) -> int:
    """Every player bids once a hand and plays each card."""
    return options.players * sum(1 + hand for hand in range(options.first_hand, options.last_hand + 1))


GAME = Game(
    name="skull_king",
    title="Skull King",
    version=skull_king.VERSION,
    manual=skull_king.__doc__ or "",
    options=SkullKingOptions(),
    state=rules.STATE,
    actions=rules.ACTIONS,
    layout=observation.LAYOUT,
    scale=observation.SCORE_SCALE,
    longest_match=longest_match,
    usual_length=260.0,  # exactly: 4 x (10 bids + 55 cards)
    figures=figures.FIGURES,
    laws=laws.conserved,
    per_seat=("hands", "scores", "counts", "bonus", "bids", "tricks_won", "voids"),
    seat_valued=("first_leader", "leader", "winning", "last_leader", "last_winner"),
    rule_players=("simple", "expected_points"),
    action_kinds={
        "bid": range(rules.PLAY),
        "play a number": range(rules.PLAY, rules.PLAY + rules.NUMBERS),
        "play a special": range(rules.PLAY + rules.NUMBERS, rules.ACTIONS),
    },
    verbs=verbs_from(rules, observation, heuristics, figures),
    notation=view,
    positions=view,
    render_view=view.render,
    weights=heuristics.TUNED,
)
