"""Piratenpoker: what the house is told of the game."""

from pirate_envs.core.game import Game, verbs_from
from pirate_envs.games import piratenpoker
from pirate_envs.games.piratenpoker import figures, heuristics, laws, observation, rules, table, view
from pirate_envs.games.piratenpoker.options import PiratenpokerOptions


def longest_match(options: PiratenpokerOptions) -> int:
    """Every cycle with all bids, and with every loot card there is given away in it."""
    gifts = table.COLOURS * table.STACK if options.gift_limit == "any" else 1
    return options.max_cycles * (3 * options.players + 2 + gifts)


GAME = Game(
    name="piratenpoker",
    title="Piratenpoker",
    version=piratenpoker.VERSION,
    manual=piratenpoker.__doc__ or "",
    options=PiratenpokerOptions(),
    state=table.STATE,
    actions=table.ACTIONS,
    layout=observation.LAYOUT,
    scale=observation.SCORE_SCALE,
    longest_match=longest_match,
    usual_length=121.2,
    figures=figures.FIGURES,
    laws=laws.conserved,
    per_seat=("hands", "last_bids", "standing", "displays", "scores", "sizes", "bids", "passed"),
    seat_valued=("first_seat", "gift_to", "last_winner"),
    rule_players=("plain", "loot_value"),
    action_kinds={
        "pass": [table.PASS],
        "bid cards": range(1, table.OVERBOARD_ACTION),
        "overboard": range(table.OVERBOARD_ACTION, table.BELOW_ACTION),
        "below deck": range(table.BELOW_ACTION, table.GIVE_NOTHING),
        "gift": range(table.GIVE_NOTHING, table.ACTIONS),
    },
    verbs=verbs_from(rules, observation, heuristics, figures),
    notation=view,
    positions=view,
    render_view=view.render,
    weights=heuristics.TUNED,
)
