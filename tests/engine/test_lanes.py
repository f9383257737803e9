"""Lanes: who sits where, matches played to their end, snapshots. (Learners' rewards: tests/doors/test_sb3.py.)"""

from __future__ import annotations

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.errors import (
    BatchError,
    IllegalActionError,
    MatchOverError,
    OptionError,
    SnapshotError,
    UnknownPlayerError,
)
from pirate_envs.engine.lanes import AT_REST, LEDGER, Lanes
from pirate_envs.engine.player import Decisions
from pirate_envs.engine.seating import LEARNER, UNIFORM, compiled_names

GAME = pirate_envs.load("skull_king", players=3, last_hand=2)


class First:
    """The lowest legal action."""

    wants_records = False

    def act(self, decisions: Decisions) -> np.ndarray:
        return decisions.action_masks.argmax(1)


def lowest(lanes: Lanes) -> np.ndarray:
    return lanes.action_masks.argmax(1)


def test_every_lane_waits_for_its_learner_after_a_reset() -> None:
    lanes = Lanes(GAME, 20, seed=7)
    assert not lanes.started
    with pytest.raises(BatchError, match="before reset"):
        lanes.learners_act(np.zeros(20, np.int64))
    lanes.reset()
    assert lanes.started and (lanes.ledger["waits_for"] == LEARNER).all()
    assert (lanes.ledger["seat"] == lanes.records["to_move"]).all()


def test_a_reset_without_a_seed_deals_other_matches_and_a_seed_goes_back() -> None:
    lanes = Lanes(GAME, 5, seed=7)
    lanes.reset()
    first = lanes.records.tobytes()
    lanes.reset()
    assert lanes.records.tobytes() != first
    lanes.reset(7)
    assert lanes.records.tobytes() == first
    with pytest.raises(OptionError, match="seed"):
        lanes.reset(-1)


def test_a_mix_that_is_refused_changes_nothing() -> None:
    lanes = Lanes(GAME, 20)
    lanes.meet({"first": 1, "random": 3}, {"first": First()})
    lanes.reset()
    shares, ledger = lanes.shares, lanes.ledger.tobytes()
    assert shares == {"random": 0.75, "first": 0.25}
    for mix, policies, error in (
        ("nobody", {}, UnknownPlayerError),
        ({"first": 1}, {}, UnknownPlayerError),
        ({"random": 0}, {"first": First()}, OptionError),
        ("random", {"random": First()}, UnknownPlayerError),
    ):
        with pytest.raises(error):
            lanes.meet(mix, policies)
    assert (lanes.shares, lanes.ledger.tobytes()) == (shares, ledger)
    lanes.learners_act(lowest(lanes))


def test_self_play_is_drawn_in_its_share() -> None:
    lanes = Lanes(GAME, 4000, self_play=0.25)
    lanes.reset()
    learners = (lanes.ledger["roles"][:, :3] == LEARNER).sum(1)
    assert set(learners) == {1, 3} and (learners == 3).mean() == pytest.approx(0.25, abs=0.03)


def test_option_sets_are_drawn_alike() -> None:
    sets = [GAME.with_options(players=3, last_hand=2, first_hand=hand) for hand in (1, 2)]
    lanes = Lanes(GAME, 2000, option_sets=sets)
    lanes.reset()
    assert (lanes.records["first_hand"] == 2).mean() == pytest.approx(0.5, abs=0.05)


def test_matches_are_those_of_the_game_alone() -> None:
    """First on one seat, uniform players on the others; a lane's match does not depend on the others'."""
    roles = np.tile([UNIFORM, len(compiled_names(GAME)), UNIFORM], (8, 1))
    many, few = Lanes(GAME, 8), Lanes(GAME, 2)
    seeds, branches = np.arange(30, 38, dtype=np.uint64), np.arange(8) % 3
    many.play_matches(seeds, roles, branches, [First()])
    few.play_matches(seeds[5:7], roles[5:7], branches[5:7], [First()])
    assert (many.ledger["waits_for"] == AT_REST).all() and many.records["over"].all()
    assert many.records[5:7].tobytes() == few.records.tobytes()
    assert [GAME.payoffs(g).tolist() for g in many.records] == many.ledger["points"][:, :3].tolist()
    branched = Lanes(GAME, 2)
    branched.play_matches(seeds[5:7], roles[5:7], branches[5:7] + 1, [First()])
    assert branched.records.tobytes() != few.records.tobytes()
    assert not many.started


def test_a_player_that_needs_records_says_so() -> None:
    class Forgetful(First):
        def act(self, decisions: Decisions) -> np.ndarray:
            return decisions.redacted["to_move"]

    lanes = Lanes(GAME, 4)
    lanes.meet("forgetful", {"forgetful": Forgetful()})
    with pytest.raises(BatchError, match="wants_records"):
        lanes.reset()


class Failing(First):
    """Fails at one of its calls, as one that is interrupted while it thinks; without a failure by an illegal action."""

    def __init__(self, failure: BaseException | None, after: int) -> None:
        self.failure, self.calls = failure, -after

    def act(self, decisions: Decisions) -> np.ndarray:
        self.calls += 1
        if self.calls <= 0:
            return super().act(decisions)
        if self.failure is not None:
            raise self.failure
        return (~decisions.action_masks).argmax(1)


class Spy(First):
    """Takes a snapshot when it is asked: of lanes that wait for it."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes

    def act(self, decisions: Decisions) -> np.ndarray:
        self.state = self.lanes.get_state()
        return super().act(decisions)


def all_of(lanes: Lanes) -> list[bytes]:
    """What lanes are, and what those that wait for a learner show."""
    waiting = lanes.ledger["waits_for"] == LEARNER
    shown = lanes.observations[waiting], lanes.action_masks[waiting]
    return [array.tobytes() for array in (lanes.records, lanes.ledger, lanes.get_state()["seed"], *shown)]


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), ValueError("no idea"), None])
@pytest.mark.parametrize("when", ["reset", "act", "deal", "restore"])
def test_an_outside_player_that_fails_moves_nothing(when: str, failure: BaseException | None) -> None:
    """And what was asked for goes as if it had not, when it is asked for again."""
    lanes, twin = Lanes(GAME, 6, seed=4), Lanes(GAME, 6, seed=4)
    for each in (lanes, twin):
        each.meet("first", {"first": First()})
        each.reset()
    spy = Spy(lanes)
    lanes.meet("first", {"first": spy})
    for each in (lanes, twin):
        each.learners_act(lowest(each))
    while when == "deal" and not lanes.records["over"].any():
        lanes.learners_act(lowest(lanes), redeal=False)
        twin.learners_act(lowest(twin), redeal=False)
    asked = {
        "reset": lambda each: each.reset(seed=7),
        "act": lambda each: each.learners_act(lowest(each)),
        "deal": Lanes.deal_next,
        "restore": lambda each: each.set_state(spy.state),
    }[when]
    before = all_of(lanes)
    lanes.meet("first", {"first": Failing(failure, after=when in ("reset", "act"))})
    with pytest.raises(type(failure) if failure else IllegalActionError):
        asked(lanes)
    assert all_of(lanes) == before
    for each in (lanes, twin):
        each.meet("first", {"first": First()})
        asked(each)
    assert all_of(lanes) == all_of(twin) != before


def test_before_the_first_deal_a_player_that_fails_leaves_nothing_dealt() -> None:
    lanes = Lanes(GAME, 6)
    lanes.meet("failing", {"failing": Failing(KeyboardInterrupt(), after=1)})
    with pytest.raises(KeyboardInterrupt):
        lanes.reset()
    assert not lanes.started
    with pytest.raises(BatchError, match="before reset"):
        lanes.learners_act(lowest(lanes))


def test_a_snapshot_goes_back_with_its_seed() -> None:
    lanes = Lanes(GAME, 6, seed=3)
    lanes.reset()
    lanes.learners_act(lowest(lanes))
    state = lanes.get_state()
    lanes.learners_act(lowest(lanes))
    after = lanes.records.tobytes()
    other = Lanes(GAME, 6, seed=99)
    other.set_state(state)
    assert other.started
    other.learners_act(lowest(other))
    assert other.records.tobytes() == after
    lanes.reset()
    other.reset()
    assert other.records.tobytes() == lanes.records.tobytes()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda state: state.pop("seed"), "lacks 'seed'"),
        (lambda state: state.update(ledger=state["ledger"][:3]), r"ledger have shape \(3,\)"),
        (lambda state: state.update(seed=state["seed"].astype(float)), "seed .* another type"),
        (lambda state: state["records"].__setitem__("players", 4), "players=4"),
        (lambda state: state["ledger"]["roles"].__setitem__((2, 0), 9), "opponent number 9"),
        (lambda state: state["ledger"]["roles"].__setitem__((2, 0), -2), "opponent number"),
    ],
)
def test_foreign_snapshots_are_refused_and_change_nothing(change, why) -> None:
    lanes = Lanes(GAME, 6, seed=3)
    lanes.reset()
    state = lanes.get_state()
    lanes.learners_act(lowest(lanes))
    before = lanes.records.tobytes()
    change(state)
    with pytest.raises(SnapshotError, match=why):
        lanes.set_state(state)
    assert lanes.records.tobytes() == before


def test_illegal_actions_of_learners_move_nothing() -> None:
    lanes = Lanes(GAME, 6)
    lanes.reset()
    before = lanes.ledger.tobytes(), lanes.records.tobytes()
    wrong = lowest(lanes)
    wrong[4] = np.flatnonzero(~lanes.action_masks[4])[0]
    for actions, error in ((wrong, IllegalActionError), (wrong[:3], BatchError), (wrong.astype(float), BatchError)):
        with pytest.raises(error):
            lanes.learners_act(actions)
    assert (lanes.ledger.tobytes(), lanes.records.tobytes()) == before


def test_without_redeal_a_match_is_kept_until_the_next_is_dealt() -> None:
    """What follows is what would have followed at once, to the byte."""
    lanes, at_once = Lanes(GAME, 6, seed=4), Lanes(GAME, 6, seed=4)
    for each in (lanes, at_once):
        each.reset()
    while not lanes.records["over"].any():
        lanes.learners_act(lowest(lanes), redeal=False)
        at_once.learners_act(lowest(at_once))
    assert lanes.records["over"].all() and lanes.ledger["reward"].tolist() == at_once.ledger["reward"].tolist()
    assert np.array_equal(lanes.final_observations, at_once.final_observations)
    with pytest.raises(MatchOverError, match="lane 0"):
        lanes.learners_act(lowest(lanes), redeal=False)
    lanes.deal_next()
    assert lanes.records.tobytes() == at_once.records.tobytes() and not lanes.ledger["ended"].any()
    assert np.array_equal(lanes.observations, at_once.observations)


def test_what_a_learner_is_paid_before_it_first_decides_comes_with_its_first_reward() -> None:
    game = pirate_envs.load("piraten_kapern", players=5, max_rounds=2, reward="margin", pay_as_scored=True)
    lanes = Lanes(game, 64, seed=1)
    lanes.reset()
    late = lanes.ledger["owed"][np.arange(64), lanes.ledger["seat"]] != 0
    paid, moved = np.zeros(64), np.zeros(64, bool)
    for _ in range(30):
        lanes.learners_act(lowest(lanes))
        ended = (lanes.ledger["ended"] != 0) & ~moved
        paid[~moved] += lanes.ledger["reward"][~moved]
        np.testing.assert_allclose(paid[ended], lanes.ledger["match_reward"][ended])
        moved |= ended
    assert late.any() and moved.all()


def test_the_end_of_a_match_is_not_overwritten_by_one_that_is_missed() -> None:
    """In a match of one round, three skulls at once leave a seat nothing to decide."""
    lanes = Lanes(pirate_envs.load("piraten_kapern", players=5, max_rounds=1), 200, seed=1)
    lanes.reset()
    seen = 0
    for _ in range(10):
        seats = lanes.ledger["seat"].astype(int)
        lanes.learners_act(lowest(lanes))
        told = np.flatnonzero((lanes.ledger["ended"] != 0) & (lanes.ledger["missed"] > 0))
        for lane in told:
            entry = lanes.ledger[lane]
            seen += 1
            assert (entry.reward >= 0) == bool(entry.winners >> seats[lane] & 1)
            assert (entry.points[seats[lane]] == entry.points[:5].max()) == bool(entry.winners >> seats[lane] & 1)
    assert seen > 20


def test_equal_ledgers_are_equal_bytes() -> None:
    """No byte of an entry is left to chance: checkpoints are compared to the bit."""
    assert sum(LEDGER.fields[name][0].itemsize for name in LEDGER.names) == LEDGER.itemsize
