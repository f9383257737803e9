"""Piratenpoker: what the house is told of the game."""

from pirate_envs.core.game import Game, verbs_from
from pirate_envs.core.record import record_type
from pirate_envs.games import piratenpoker
from pirate_envs.games.piratenpoker import (
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
    state,
    text,
)
from pirate_envs.games.piratenpoker.options import PiratenpokerOptions


def longest_match(options: PiratenpokerOptions) -> int:
    """Every cycle with all bids, and with every loot card there is given away in it."""
    gifts = state.COLOURS * state.STACK if options.gift_limit == "any" else 1
    return options.max_cycles * (3 * options.players + 2 + gifts)


GAME = Game(
    name="piratenpoker",
    title="Piratenpoker",
    version=piratenpoker.VERSION,
    manual=piratenpoker.__doc__ or "",
    options=PiratenpokerOptions(),
    state=record_type(state.FIELDS, PiratenpokerOptions),
    actions=state.ACTIONS,
    layout=observation.LAYOUT,
    scale=observation.SCORE_SCALE,
    longest_match=longest_match,
    usual_length=121.2,
    figures=figures.FIGURES,
    mistakes=figures.MISTAKES,
    flaws=soundness.FLAWS,
    laws=laws.conserved,
    per_seat=(
        *("hands", "last_bids", "standing", "displays", "scores", "sizes", "bids", "passed"),
        *("drawn", "held_sizes", "most_old"),
    ),
    seat_valued=("first_seat", "gift_to", "last_winner"),
    ranges=state.RANGES,
    rule_players=players.RULE_PLAYERS,
    action_kinds={
        "pass": [state.PASS],
        "bid cards": range(1, state.OVERBOARD_ACTION),
        "overboard": range(state.OVERBOARD_ACTION, state.BELOW_ACTION),
        "below deck": range(state.BELOW_ACTION, state.GIVE_NOTHING),
        "gift": range(state.GIVE_NOTHING, state.ACTIONS),
    },
    verbs=verbs_from(rules, observation, players, figures, soundness),
    notation=notation,
    positions=positions,
    telling=events,
    render_view=text.render,
    draw_view=picture.picture,
    weights=players.SHIPPED,
)
