"""Belief heads: worlds drawn by them, what they learn, how they are kept, and the search that uses them."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pirate_envs import Game, load
from pirate_envs.agents import agent
from pirate_envs.agents.beliefs import DOUBT, DRAWN, Beliefs, others_cells
from pirate_envs.agents.learning.beliefs import WorldPairs, fit, world_pairs
from pirate_envs.agents.player import Decisions, decisions_of
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.search import WEIGHED, WEIGHED_A_MILLISECOND, Search
from pirate_envs.core.errors import CheckpointError, OptionError, UnknownPlayerError
from pirate_envs.search.worlds import Worlds

GAME = load("skull_king")
HAND = load("skull_king", first_hand=4, last_hand=4)
HANDS = load("skull_king", first_hand=10)


def plain() -> Policy:
    """The shipped policy without heads."""
    policy = agent(GAME, "policy:pretrained")
    assert isinstance(policy, Policy)
    return policy.believing([]).judging([])


def told(weights: np.ndarray) -> Policy:
    """With a head that adds up the others' private cells by these weights, float, (guessed,)."""
    policy = plain()
    first = np.zeros((2, GAME.layout.size + policy.guessed), np.float32)
    first[0, GAME.layout.size :], first[1, GAME.layout.size :] = weights, -weights
    return policy.believing([(first, np.zeros(2)), (np.array([[1.0, -1.0]], np.float32), np.zeros(1))])


def played(game: Game, seed: int, decisions: int) -> np.record:
    """After so many decisions, the highest legal actions."""
    g = game.new(seed)
    for _ in range(decisions):
        game.apply(g, game.legal_actions(g)[-1])
    return g


def roots(count: int) -> np.ndarray:
    """First bids of as many matches, hands of 10 cards, redacted."""
    game = load("skull_king", first_hand=10)
    return np.array([game.redacted(g, game.seat_to_move(g)) for g in map(game.new, range(count))], game.state)


@pytest.fixture(scope="module")
def pairs() -> WorldPairs:
    return world_pairs(plain(), HAND, 20_000, seed=3)


def test_a_head_without_an_opinion_leaves_worlds_alike() -> None:
    beliefs = Beliefs(load("skull_king", first_hand=10), told(np.zeros(plain().guessed)))
    weights = beliefs.weights(roots(3), np.arange(3), range(40))
    assert np.allclose(weights, 1 / 40)
    numbers = beliefs.numbers(roots(3), np.arange(3), range(10))
    assert numbers.shape == (3, 10) and all(len(set(row)) == 10 for row in numbers) and numbers.max() < 10 * DRAWN


def test_worlds_come_as_often_as_their_weight_says() -> None:
    """A head that wants the next seat to hold the king."""
    game = load("skull_king", first_hand=10)
    wanted = np.zeros(plain().guessed)
    king = int(np.flatnonzero(game.layout.private == game.layout.offset("hand_specials") + 3)[0])
    wanted[king] = np.log(9.0)
    beliefs = Beliefs(game, told(wanted))
    weights = beliefs.weights(roots(4), np.arange(4), range(400))
    assert np.allclose(weights.sum(axis=1), 1)
    assert [len(set(row.round(9))) for row in weights] == [2, 2, 2, 2]
    low, high = weights.min(axis=1), weights.max(axis=1)
    spread = DOUBT / 400
    assert np.allclose((high - spread) / (low - spread), 9, rtol=1e-3)
    numbers = beliefs.numbers(roots(4), np.arange(4), range(50))
    with_king = weights > weights.mean(axis=1, keepdims=True)
    share = np.take_along_axis(with_king, numbers, axis=1).mean(axis=1)
    wrong = share - (weights * with_king).sum(axis=1)
    assert abs(wrong).max() < 0.15 and abs(wrong.mean()) < 0.05  # even weights would be 0.45 off


def test_more_worlds_than_are_drawn_at_once_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    beliefs = Beliefs(load("skull_king", first_hand=10), told(np.arange(plain().guessed) / 10))
    whole = beliefs.numbers(roots(2), np.arange(2), range(20))
    monkeypatch.setattr("pirate_envs.agents.beliefs.AT_ONCE", 64)
    assert np.array_equal(beliefs.numbers(roots(2), np.arange(2), range(20)), whole)
    assert np.array_equal(beliefs.numbers(roots(1), np.arange(1), range(20)), whole[:1])


def test_the_worlds_of_one_root_are_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Noted(Worlds):
        def __init__(self, game: Game, roots: np.ndarray, counts: np.ndarray) -> None:
            made.append(int(counts.sum()))
            super().__init__(game, roots, counts)

    monkeypatch.setattr("pirate_envs.agents.beliefs.Worlds", Noted)
    policy = agent(GAME, "policy:pretrained")
    assert isinstance(policy, Policy)
    beliefs = Beliefs(HANDS, policy)
    monkeypatch.setattr("pirate_envs.agents.beliefs.AT_ONCE", 1 << 20)
    whole = beliefs.weights(roots(1), np.arange(1), range(7, 20_007))
    monkeypatch.setattr("pirate_envs.agents.beliefs.AT_ONCE", 1 << 14)
    in_parts = beliefs.weights(roots(1), np.arange(1), range(7, 20_007))
    np.testing.assert_allclose(in_parts, whole, rtol=1e-5)  # last digits of a network may hang on how many rows there are
    assert made == [20_000, 10_000, 10_000]


def test_other_numbers_bring_other_worlds() -> None:
    beliefs = Beliefs(load("skull_king", first_hand=10), told(np.zeros(plain().guessed)))
    few, more = (set(beliefs.numbers(roots(1), np.zeros(1, np.int64), wanted)[0]) for wanted in (range(8), range(8, 24)))
    assert max(few) < 8 * DRAWN <= min(more) and max(more) < 24 * DRAWN


def test_the_others_cells_are_what_they_see_of_their_own() -> None:
    g = GAME.new(5)
    cells = others_cells(GAME, np.array([g], GAME.state), np.array([1]), plain().guessed)[0].reshape(
        -1, len(GAME.layout.private)
    )
    for steps, seat in ((1, 2), (2, 3), (3, 0)):
        assert np.array_equal(cells[steps - 1], GAME.observation(g, seat)[GAME.layout.private])
    assert not cells[3:].any()


def test_a_head_learns_what_true_worlds_have_more_often(pairs: WorldPairs) -> None:
    """Made up: the first cell is there in 80 % of true worlds and in 20 % of imagined ones."""
    policy, chance = plain(), np.random.default_rng(0)
    true, imagined = pairs.true.copy(), pairs.imagined.copy()
    true[:, 0], imagined[:, 0] = chance.random(len(pairs)) < 0.8, chance.random(len(pairs)) < 0.2
    believing = policy.believing(fit(policy, dataclasses.replace(pairs, true=true, imagined=imagined), seed=0))
    cells = np.zeros((200, 2, policy.guessed), np.float32)
    cells[:] = pairs.true[:200, None]
    cells[:, 0, 0], cells[:, 1, 0] = 1, 0
    logs = believing.likelier(pairs.observations[:200], cells)
    assert np.log(16) * 0.7 < (logs[:, 0] - logs[:, 1]).mean() < np.log(16) * 1.3
    assert np.array_equal(believing.logits(pairs.observations[:50]), policy.logits(pairs.observations[:50]))
    assert believing.acts_by == policy.acts_by and believing.learned != policy.learned


def test_pairs_are_of_the_same_decision(pairs: WorldPairs) -> None:
    few = pairs.taken(slice(50))
    for root, record, observation, true in zip(few.roots, few.records, few.observations, few.true, strict=True):
        seat = HAND.seat_to_move(record)
        assert root == HAND.redacted(record, seat) and np.array_equal(observation, HAND.observation(record, seat))
        after = HAND.observation(record, (seat + 1) % GAME.players)[GAME.layout.private]
        assert np.allclose(true[: len(after)], after, atol=1e-3)
    assert not np.array_equal(pairs.true, pairs.imagined)


def test_a_head_is_saved_and_checked(tmp_path: Path) -> None:
    believing = told(np.ones(plain().guessed))
    believing.save(tmp_path / "p")
    again = Policy.load(GAME, tmp_path / "p")
    assert again.learned == believing.learned and again.belief[0][0].shape == believing.belief[0][0].shape
    with pytest.raises(CheckpointError, match="belief head gives 2 numbers; needed: 1"):
        plain().believing([(np.zeros((2, GAME.layout.size + plain().guessed)), np.zeros(2))])
    with pytest.raises(CheckpointError, match="belief head's layer 0"):
        plain().believing([(np.zeros((1, 7)), np.zeros(1))])


SEARCHES = (
    "guided:48", "ismcts:48", "ismcts:2000", "ismcts:48:uniform", "ismcts:48:threads=2", "flat:48:horizon=2",
)  # fmt: skip


def decided(positions: Sequence[np.record], chance: float = 0.5) -> Decisions:
    """All of them at once; chances that differ."""
    each = [decisions_of(HANDS, g, chance + number / 100) for number, g in enumerate(positions)]
    return Decisions(*map(np.concatenate, zip(*each, strict=True)))


@pytest.mark.parametrize("search", SEARCHES)
def test_search_by_belief(tmp_path: Path, search: str) -> None:
    told(np.ones(plain().guessed)).save(tmp_path / "p")
    player = agent(HANDS, f"search:{search}:policy={tmp_path / 'p'}:belief")
    for decisions in (0, 9):
        g = played(HANDS, 1, decisions)
        other = HANDS.determinized(HANDS.redacted(g, HANDS.seat_to_move(g)), HANDS.seat_to_move(g), 9)
        assert other.tobytes() != g.tobytes()
        assert player.act(decided([g])) == player.act(decided([other]))
        assert HANDS.action_mask(g)[player.act(decided([g]))[0]]


@pytest.mark.parametrize("search", SEARCHES)
def test_decisions_by_belief_are_the_same_whatever_is_decided_beside_them(tmp_path: Path, search: str) -> None:
    told(np.arange(plain().guessed) % 7 / 5).save(tmp_path / "p")
    player = agent(HANDS, f"search:{search}:policy={tmp_path / 'p'}:belief")
    positions = [played(HANDS, seed, decisions) for seed, decisions in ((1, 0), (2, 3), (3, 20), (4, 40), (5, 43))]
    assert 1 in [len(HANDS.legal_actions(g)) for g in positions]
    together = player.act(decided(positions))
    alone = [player.act(decided([g], 0.5 + number / 100))[0] for number, g in enumerate(positions)]
    copied = pickle.loads(pickle.dumps(player))
    assert together.tolist() == alone == copied.act(decided(positions)).tolist()


@pytest.mark.parametrize("search", ["ismcts:400", "ismcts:1000:uniform", "flat:400", "ismcts:400:threads=2", "flat:30ms"])
def test_a_tree_bids_by_what_it_believes(tmp_path: Path, search: str) -> None:
    """One card each, a pirate: the trick is won but by whoever comes after with the king or before with a pirate."""
    game = load("skull_king", players=2)
    g = game.from_view(
        {"phase": "bid", "hand_number": 1, "leader": 1, "hands": [["pirate"], ["yellow_2"]], "bids": [None, None]}
    )
    king = np.zeros(plain().guessed)
    king[int(np.flatnonzero(game.layout.private == game.layout.offset("hand_specials") + 3)[0])] = 14.0
    bids = []
    for name, weights in (("king", king), ("no_king", -king)):
        told(weights).save(tmp_path / name)
        player = agent(game, f"search:{search}:belief:policy={tmp_path / name}")
        bids.append(game.action_name(g, int(player.act(decisions_of(game, g))[0])))
    assert bids == ["bid 0", "bid 1"]


def test_a_tree_weighs_no_more_worlds_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    weighed = []
    weights = Beliefs.weights

    def noted(self: Beliefs, roots: np.ndarray, seeds: np.ndarray, numbers: range) -> np.ndarray:
        weighed.append(numbers)
        return weights(self, roots, seeds, numbers)

    monkeypatch.setattr(Beliefs, "weights", noted)
    g = played(HANDS, 1, 2)
    for search in ("ismcts:10", "ismcts:5000", "ismcts:2ms", "ismcts:50ms"):
        agent(HANDS, f"search:{search}:belief").act(decided([g]))
    assert weighed == [range(10 * DRAWN), range(WEIGHED), range(2 * WEIGHED_A_MILLISECOND), range(WEIGHED)]
    forced = played(HANDS, 5, 43)
    agent(HANDS, "search:ismcts:10:belief").act(decided([forced]))
    assert len(HANDS.legal_actions(forced)) == 1 and len(weighed) == 4


def test_a_search_by_belief_knows_its_policy() -> None:
    policy, player = agent(GAME, "policy:pretrained"), agent(GAME, "search:ismcts:9:belief")
    assert player.learned == policy.learned is not None
    assert agent(GAME, "search:ismcts:9").learned is None
    for name, given in (("search:ismcts:9", policy), ("search:ismcts:9:belief", None)):
        with pytest.raises(UnknownPlayerError, match="a policy if it has beliefs, and only then"):
            Search(GAME, name, given)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["guided", "ismcts", "flat"])
def test_there_is_no_belief_without_a_head_or_hidden_hands(tmp_path: Path, kind: str) -> None:
    plain().save(tmp_path / "without")
    with pytest.raises(CheckpointError, match=r"without has no belief head; python -m experiments\.beliefs"):
        agent(GAME, f"search:{kind}:48:policy={tmp_path / 'without'}:belief")
    name = f"search:{kind}:48:belief"
    with pytest.raises(UnknownPlayerError, match=f"'{name}': piraten_kapern-v0 has no private cells"):
        agent(load("piraten_kapern"), name)


def test_nothing_is_believed_where_nothing_is_hidden() -> None:
    game = load("piraten_kapern")
    policy = agent(game, "policy:pretrained")
    assert isinstance(policy, Policy)
    with pytest.raises(OptionError, match="has no private cells"):
        world_pairs(policy, game, 100, 0)
