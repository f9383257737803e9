"""No state from outside breaks memory, hangs or is played on unsoundly, by whichever door it comes."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest

import pirate_envs
from pirate_envs import OptionError, PositionError, RecordError, SnapshotError
from pirate_envs.core.game import Game
from pirate_envs.core.ranges import OF_OPTIONS, Use, check_records, ranges_of
from pirate_envs.core.record import HEADER
from pirate_envs.engine.batch import Batch
from pirate_envs.engine.lanes import Lanes
from pirate_envs.games import shipped
from tests.games.setups import table_of
from tests.hostile import GOOD, Door, check_seen, hostile_rows, outcomes, some_rows

LONG = 5_000  # a door: 20,000 a game
MAY_BREAK = {"cards held and gone are those that were dealt"}  # a position of Skull King may tell less than all that is gone


def keeps_laws(game: Game, rows: np.ndarray) -> None:
    """What a door let in breaks no law of the game, neither then nor later."""
    if game.laws is not None:
        broken = {law for law, held in game.laws(rows).items() if not held.all()}
        assert broken <= MAY_BREAK, broken


def methods(name: str) -> Door:
    """Every method of a game that takes a record, then some decisions."""
    game = table_of(name, 4)

    def look(g: np.record, rng: np.random.Generator) -> None:
        assert len(game.payoffs(g)) == len(game.rewards(g)) == game.players
        assert set(game.winners(g)) <= set(range(game.players))
        game.render(g)
        for seat in range(game.players):
            game.view(g, seat)
            game.rotated(g, seat)
            if not game.is_over(g) and seat == game.seat_to_move(g):
                game.rule_action(game.redacted(g, seat), int(rng.integers(len(game.rule_players))))
            world = game.determinized(g, seat, int(rng.integers(100)))
            keeps_laws(game, np.array([world]))
            check_seen(game, game.observation(world, seat), np.ones(1))

    def door(rng: np.random.Generator) -> None:
        for row in hostile_rows(game, rng)[:3]:
            g = row.copy()
            look(g, rng)
            keeps_laws(game, np.array([g]))
            for _ in range(30):
                if game.is_over(g):
                    break
                check_seen(game, game.observation(g, game.seat_to_move(g)), game.action_mask(g))
                game.apply(g, rng.choice(game.legal_actions(g)))

    return door


def aec(name: str) -> Door:
    """`GameAEC.set_state`, and by it `Match.set_state`; some books are another match's."""
    game = table_of(name, 4)
    env = pirate_envs.make_aec(game)

    def door(rng: np.random.Generator) -> None:
        env.reset(int(rng.integers(100)))
        state = env.get_state()
        state["match"] = {"records": hostile_rows(game, rng)[:1]}
        if rng is GOOD or rng.random() < 0.8:
            state["agent_selection"] = f"player_{state['match']['records']['to_move'][0]}"
        before = env.record.tobytes(), env.agent_selection
        try:
            env.set_state(state)
        except pirate_envs.PirateError:
            assert (env.record.tobytes(), env.agent_selection) == before
            raise
        for _ in range(60):
            if not env.agents:
                break
            seen, _, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            assert env.agent_selection == f"player_{env.record.to_move}"
            check_seen(game, seen["observation"], info["action_mask"])
            env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))

    return door


def batch(name: str) -> Door:
    """`Batch.set_state`."""
    game = table_of(name, 2)
    played = Batch(game, 8, seed=1)

    def door(rng: np.random.Generator) -> None:
        state = played.get_state()
        state["records"] = hostile_rows(game, rng)
        played.set_state(state)
        for _ in range(60):
            keeps_laws(game, played.records)
            check_seen(game, played.observations, played.action_masks)
            played.step(played.random_actions())

    return door


def vector(name: str) -> Door:
    """`PirateVecEnv.set_state`: records, or what is known beside them."""
    from pirate_envs.doors.sb3 import PirateVecEnv

    game = table_of(name, 3)
    env = PirateVecEnv(game, 8, {"random": 1.0, "rules:strongest": 1.0})
    env.reset()

    def door(rng: np.random.Generator) -> None:
        env.reset()
        state = env.get_state()
        if rng is GOOD or rng.random() < 0.6:
            state["records"] = hostile_rows(game, rng)
        else:
            cells = state["ledger"].view(np.uint8).reshape(8, -1)
            cells[rng.integers(8), rng.integers(cells.shape[1], size=4)] = rng.choice([0, 1, 127, 128, 255])
        seen = env.set_state(state)
        for _ in range(20):
            masks = env.lanes.action_masks
            check_seen(game, seen, masks)
            seen, rewards, _, _ = env.step(np.argmax(masks * rng.random(masks.shape), axis=1))
            assert np.isfinite(rewards).all()

    return door


DOORS = {door.__name__: door for door in (methods, aec, batch, vector)}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", shipped())
def test_a_hostile_state_is_refused_or_played_on_soundly(name: str, door: str) -> None:
    counts = outcomes(DOORS[door](name), 300)
    assert counts["refused"] > 100 and counts["played"] > 5


@pytest.mark.long
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", shipped())
def test_many_hostile_states_are_refused_or_played_on_soundly(name: str, door: str) -> None:
    assert outcomes(DOORS[door](name), LONG, first=1000).total() == LONG


# -- states that once broke in -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped())
def test_a_snapshot_of_a_larger_table_is_refused(name: str) -> None:
    few, many = (Batch(table_of(name, players), 16, seed=1) for players in (2, 6))
    before = few.records.tobytes()
    with pytest.raises(RecordError, match=rf"in row 0: dealt with players={many.game.players}"):
        few.set_state(many.get_state())
    assert few.records.tobytes() == before


@pytest.mark.parametrize("name", shipped())
def test_a_record_of_a_larger_table_has_no_points_at_a_small_one(name: str) -> None:
    few, many = table_of(name, 2), table_of(name, 6)
    for method in (few.payoffs, few.winners, few.rewards, few.view, few.legal_actions):
        with pytest.raises(RecordError, match="players"):
            method(many.new(1))


@pytest.mark.parametrize(("field", "value"), [("players", 100), ("to_move", 100), ("to_move", -1), ("over", 3)])
@pytest.mark.parametrize("name", shipped())
def test_a_field_beyond_its_range_is_named_with_it(name: str, field: str, value: int) -> None:
    game = table_of(name, 3)
    g = game.new(seed=1)
    g[field] = value
    before = g.tobytes()
    for play in (lambda: game.observation(g, 0), lambda: game.apply(g, 0), lambda: game.redacted(g, 0)):
        with pytest.raises(RecordError, match=rf"{field}.*{value}"):
            play()
    assert g.tobytes() == before
    rows = game.empty(5)
    rows[:] = game.new(seed=2)
    rows[3] = g
    with pytest.raises(RecordError, match=rf"row 3.*{field}|{field}.*row 3"):
        check_records(game, rows)


def test_what_ranges_cannot_say_is_told_too() -> None:
    game = pirate_envs.load("lucky_pirate")
    g = game.new(seed=1)
    g.hand_sizes[2] += 1
    with pytest.raises(RecordError, match=r"^hands in the record: they are not of their hand_sizes"):
        game.legal_actions(g)


def reshuffled() -> np.record:
    """A match of Piratenpoker some decisions after its discard has become the pile (R19)."""
    game = pirate_envs.load("piratenpoker", players=4)
    g = game.new(10)
    while g.decisions < 97:
        legal = game.legal_actions(g)
        game.apply(g, legal[int(g.decisions) * 7 % len(legal)])
    return g


def laid(cards: int) -> np.record:
    """A trick of Skull King with so many cards on the table."""
    game = pirate_envs.load("skull_king", players=3, first_hand=5)
    g = game.new(3)
    while g.laid != cards:
        game.apply(g, game.legal_actions(g)[0])
    return g


@pytest.mark.parametrize("field", ["staked", "most_old", "staked_turn"])
def test_what_was_staked_was_in_hand_by_then(field: str) -> None:
    game, g = pirate_envs.load("piratenpoker", players=4), reshuffled()
    game.check_record(g)
    assert g.reshuffled == 1
    if field == "staked":
        g.staked[0, [59, 60]] = g.staked[0, [60, 59]]
    else:
        g[field] = 1 - g[field]
    with pytest.raises(RecordError, match="held in the record.*not in this order"):
        game.check_record(g)


@pytest.mark.parametrize("field", ["drawn", "held_sizes", "most_old"])
def test_who_is_not_there_has_drawn_and_held_nothing(field: str) -> None:
    game, g = pirate_envs.load("piratenpoker", players=4), reshuffled()
    g[field].reshape(5, -1)[4, 0] = 1
    with pytest.raises(RecordError, match="held in the record.*make hands and discard"):
        game.check_record(g)


@pytest.mark.parametrize(("field", "more"), [("winning", 1), ("strength", 1), ("led_suit", 1), ("free", 1)])
def test_who_leads_a_trick_is_what_its_cards_say(field: str, more: int) -> None:
    game, g = pirate_envs.load("skull_king", players=3, first_hand=5), laid(2)
    game.check_record(g)
    g[field] = (g[field] + more) % 3 if field == "winning" else g[field] + more
    with pytest.raises(RecordError, match=f"trick in the record.*{field}"):
        game.check_record(g)


def test_who_has_laid_another_suit_has_shown_not_to_hold_the_one_led() -> None:
    game = pirate_envs.load("skull_king", players=3, first_hand=5)
    g = game.new(3)
    while not (g.laid == 2 and g.voids.any()):
        game.apply(g, game.legal_actions(g)[0])
    g.voids[:] = 0
    with pytest.raises(RecordError, match=r"trick in the record.*voids"):
        game.check_record(g)


def test_a_world_that_cannot_be_is_not_handed_out() -> None:
    """A redacted record can tell of a past to which no hands fit; that is found out when they are dealt."""
    game, g = pirate_envs.load("piratenpoker", players=4), reshuffled()
    hidden = game.redacted(g, 0)
    hidden.staked[0, [10, 45]] = hidden.staked[0, [45, 10]]
    game.check_record(hidden)
    with pytest.raises(PositionError, match="no world was found that agrees with what seat 0 can know"):
        game.determinized(hidden, 0, seed=1)


def test_a_record_of_another_game_is_refused() -> None:
    game, other = pirate_envs.load("skull_king"), pirate_envs.load("piraten_kapern")
    for foreign in (other.new(1), None, 7, game.empty(1), game.new(1).tobytes()):
        with pytest.raises(RecordError, match=r"no record of skull_king-v0"):
            game.observation(foreign, 0)


def test_a_redacted_record_can_be_looked_at_but_not_played() -> None:
    game = pirate_envs.load("skull_king", players=3)
    hidden = game.redacted(game.new(1), 1)
    game.view(hidden, 1)
    with pytest.raises(RecordError, match="redacted"):
        game.apply(hidden, 0)
    rows = np.array([hidden])
    check_records(game, rows)
    with pytest.raises(RecordError, match="row 0 is all 0"):
        check_records(game, rows, Use.PLAY)


@pytest.mark.parametrize("name", [name for name in shipped() if len(pirate_envs.load(name).layout.private)])
def test_a_redacted_record_is_its_own_seats_alone(name: str) -> None:
    game = table_of(name, 3)
    whole = game.new(1)
    other = (game.seat_to_move(whole) + 1) % 3
    hidden = game.redacted(whole, other)
    before = hidden.tobytes()
    for ask in (game.observation, game.view, game.redacted, functools.partial(game.determinized, seed=1)):
        ask(hidden, other)
        with pytest.raises(RecordError, match="redacted, and for another seat"):
            ask(hidden, game.seat_to_move(whole))
    for of_the_mover in (game.legal_actions, game.action_mask, game.rule_action, game.view):
        with pytest.raises(RecordError, match="redacted, and for another seat"):
            of_the_mover(hidden)
    assert hidden.tobytes() == before


def test_a_match_that_is_over_cannot_go_into_a_batch() -> None:
    game = pirate_envs.load("skull_king", players=2, last_hand=1)
    rows = some_rows(game, np.random.default_rng(0))
    while not game.is_over(rows[4]):
        game.apply(rows[4], game.legal_actions(rows[4])[0])
    check_records(game, rows, Use.PLAY)
    with pytest.raises(RecordError, match="over in row 4 is 1"):
        check_records(game, rows, Use.PLAY_ON)


def test_a_generator_that_stands_still_is_refused() -> None:
    played = Batch(pirate_envs.load("skull_king"), 4)
    state = played.get_state()
    state["generators"][2] = 0
    with pytest.raises(SnapshotError, match="generators are all 0 in row 2"):
        played.set_state(state)


@pytest.mark.parametrize(
    ("field", "value"),
    [("seat", 3), ("seat", -1), ("waits_for", 99), ("ended", 3), ("reward", np.nan), ("moves", -1), ("winners", 8), ("gen", 0)],
)
def test_lanes_are_held_to_their_ranges(field: str, value: float) -> None:
    lanes = Lanes(pirate_envs.load("skull_king", players=3), 4)
    lanes.reset()
    state = lanes.get_state()
    before = lanes.ledger.tobytes()
    state["ledger"][field][1] = value
    with pytest.raises(SnapshotError, match=rf"{field} .*row 1"):
        lanes.set_state(state)
    assert lanes.ledger.tobytes() == before


def test_option_sets_are_of_the_game_and_no_larger() -> None:
    game = pirate_envs.load("skull_king", players=3)
    for other in (game.with_options(players=4), pirate_envs.load("lucky_pirate", players=2)):
        with pytest.raises(OptionError, match=re.escape(f"{other.id} for {other.players}")):
            Lanes(game, 4, option_sets=[other])


# -- ranges ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped())
def test_every_field_has_a_range(name: str) -> None:
    game = pirate_envs.load(name)
    assert list(ranges_of(game)) == list(game.state.names or ())
    assert {field[0] for field in HEADER} <= set(ranges_of(game))


def test_a_field_without_a_range_is_an_error_of_the_game() -> None:
    from dataclasses import replace

    game = pirate_envs.load("skull_king")
    ranges = dict(game.ranges)
    with pytest.raises(TypeError, match="'skull_king' declares no range for voids"):
        replace(game, ranges={name: bounds for name, bounds in ranges.items() if name != "voids"})
    with pytest.raises(TypeError, match="a range for nothing, but its record has no such field"):
        replace(game, ranges={**ranges, "nothing": (0, 1)})
    with pytest.raises(TypeError, match="scale has a range, but holds no integers"):
        replace(game, ranges={**ranges, "scale": (0, 1)})


@pytest.mark.parametrize("name", shipped())
def test_every_field_is_held_to_its_range(name: str) -> None:
    """A value beyond either end, in every field that has one, is told with that field's name."""
    game = table_of(name, 3)
    good = game.new(seed=5)
    for field, bounds in ranges_of(game).items():
        if bounds == OF_OPTIONS:
            continue
        limits = np.iinfo(game.state[field].base)
        ends = [int(good[end.field]) + end.plus if hasattr(end, "field") else end for end in bounds]
        for value in (ends[0] - 1, ends[1] + 1):
            if limits.min <= value <= limits.max:
                g = good.copy()
                g[field] = value
                with pytest.raises(RecordError, match=rf"{field}|hand_number|turn"):
                    game.check_record(g)


def test_a_bound_of_the_options_holds_for_every_set_of_options() -> None:
    own, other = (pirate_envs.load("lucky_pirate", max_turns=turns) for turns in (1023, 1000))
    row = other.empty(1)
    row[0] = other.new(1)
    for turn in (255, 999):  # 999 is 0x03e7: byte by byte 255 would be above it
        row["turn"] = turn
        check_records(own, row, Use.PLAY_ON, other.empty(1))
    for turn, said in ((1000, "turn in row 0: it has come to max_turns"), (1001, "turn in row 0 is 1001")):
        row["turn"] = turn
        with pytest.raises(RecordError, match=said):
            check_records(own, row, Use.PLAY_ON, other.empty(1))
