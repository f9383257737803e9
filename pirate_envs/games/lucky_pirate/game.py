"""Lucky Pirate: what the house is told of the game."""

from pirate_envs.core.game import Game, verbs_from
from pirate_envs.core.record import record_type
from pirate_envs.games import lucky_pirate
from pirate_envs.games.lucky_pirate import (
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
from pirate_envs.games.lucky_pirate.options import LuckyPirateOptions
from pirate_envs.games.lucky_pirate.players.weighs_odds import SHIPPED
from pirate_envs.games.lucky_pirate.state import ACTIONS, FIELDS, FLIP, NUMBERS, PARROT, PICK_UP, RANGES, STOP


def longest_match(options: LuckyPirateOptions) -> int:
    """All turns of all games, and what else a turn can hold: cards cleared are gone for good, parrots lie where they are."""
    a_turn = 1 + (options.counts[PARROT] if options.parrot_again else 0)
    cleared = sum(options.counts) if options.clear_again else 0
    return options.most_games * (a_turn * options.max_turns + cleared)


GAME = Game(
    name="lucky_pirate",
    title="Lucky Pirate",
    version=lucky_pirate.VERSION,
    manual=lucky_pirate.__doc__ or "",
    options=LuckyPirateOptions(),
    state=record_type(FIELDS, LuckyPirateOptions),
    actions=ACTIONS,
    layout=observation.LAYOUT,
    scale=observation.SCORE_SCALE,
    longest_match=longest_match,
    usual_length=124.7,
    figures=figures.FIGURES,
    mistakes=figures.MISTAKES,
    flaws=soundness.FLAWS,
    laws=laws.conserved,
    per_seat=(
        *("hands", "ups", "known", "cannot_hold", "wins", "hand_sizes", "ups_left", "downs_left", "up_cards", "down_cards"),
        *("last_action", "last_flip", "last_result"),
    ),
    seat_valued=("dealer",),
    ranges=RANGES,
    rule_players=players.RULE_PLAYERS,
    action_kinds={
        "play a number": range(3 * NUMBERS),
        "play a special": range(3 * NUMBERS, FLIP),
        "flip": range(FLIP, PICK_UP),
        "pick up": [PICK_UP],
        "stop": [STOP],
    },
    verbs=verbs_from(rules, observation, players, figures, soundness),
    notation=notation,
    positions=positions,
    telling=events,
    render_view=text.render,
    draw_view=picture.picture,
    weights=SHIPPED,
)
