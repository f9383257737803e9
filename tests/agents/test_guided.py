"""Guided search: its worlds agree with what the seat knows, and what comes of them is the plainly best action."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs import Game
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import versus
from pirate_envs.agents.guided import AT_ONCE, BELIEVED, GuidedSearch, Trial
from pirate_envs.agents.player import Decisions
from pirate_envs.agents.playouts import Playouts
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import BatchError, CheckpointError
from pirate_envs.games import shipped
from pirate_envs.search.tree import TO_MATCH_END
from pirate_envs.search.worlds import BY_ACT, Worlds

GAMES = pirate_envs.games()


def knows_nothing(game: Game) -> Policy:
    """A policy with the same logit for every action."""
    return Policy(game, [(np.zeros((game.actions, game.layout.size)), np.zeros(game.actions))], "relu")


def believes_all(game: Game) -> Policy:
    """The same with a belief head to which all worlds are alike."""
    policy = knows_nothing(game)
    first = np.zeros((2, game.layout.size + policy.guessed)), np.zeros(2)
    return policy.believing([first, (np.zeros((1, 2)), np.zeros(1))])


def guided_players(*parts: str) -> list[GuidedSearch]:
    """Of the policy that comes with Skull King, 96 playouts, with these parts behind their names."""
    game = pirate_envs.load("skull_king", players=4)
    players = [agent(game, f"search:guided:96{part}") for part in parts]
    assert all(isinstance(player, GuidedSearch) for player in players)
    return players  # type: ignore[return-value]


def decisions_of(game: Game, positions: list[np.record], chance: float = 0.5) -> Decisions:
    seats = [game.seat_to_move(g) for g in positions]
    return Decisions(
        np.array([game.observation(g, seat) for g, seat in zip(positions, seats, strict=True)]),
        np.array([game.action_mask(g) for g in positions]).astype(bool),
        np.full(len(positions), chance),
        np.array([game.redacted(g, seat) for g, seat in zip(positions, seats, strict=True)]),
    )


def position(name: str, seed: int, decisions: int) -> tuple[Game, np.record]:
    game = pirate_envs.load(name)
    g = game.new(seed)
    for _ in range(decisions):
        after = g.copy()
        game.apply(after, game.legal_actions(g)[-1])
        if game.is_over(after):  # a short game: as far as it goes
            break
        g = after
    return game, g


def ten_cards() -> tuple[Game, np.record]:
    """A first bid of eleven."""
    game = pirate_envs.load("skull_king", first_hand=10)
    return game, game.new(5)


@pytest.mark.parametrize("name", GAMES)
def test_worlds_agree_with_what_the_seat_knows(name: str) -> None:
    game, g = position(name, 4, 8)
    seat = game.seat_to_move(g)
    worlds = Worlds(game, np.array([game.redacted(g, seat)]), np.array([6]))
    worlds.draw(np.full(6, 9), np.array([0, 1, 2, 0, 1, 2]))
    for first, again in zip(worlds.records[:3], worlds.records[3:], strict=True):
        assert first.tobytes() == again.tobytes()
        if game.seat_to_move(first) == seat:  # no sealed choice was taken back
            assert game.observation(first, seat).tobytes() == game.observation(g, seat).tobytes()
    assert len({world.tobytes() for world in worlds.records}) == 3


@pytest.mark.parametrize("name", GAMES)
def test_decisions_together_and_alone_are_legal_and_the_same_for_the_same_chance(name: str) -> None:
    game, g = position(name, 5, 0)
    positions = [g]
    for _ in range(5):
        g = g.copy()
        game.apply(g, game.legal_actions(g)[0])
        if game.is_over(g):
            break
        positions.append(g)
    player = GuidedSearch(game, "search", knows_nothing(game), 24)
    actions = player.act(decisions_of(game, positions))
    for g, action in zip(positions, actions, strict=True):
        assert action in game.legal_actions(g)
    assert player.act(decisions_of(game, positions)).tolist() == actions.tolist()


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("name", GAMES)
def test_a_decision_does_not_depend_on_those_asked_with_it(name: str, drawn: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    positions = [position(name, seed, 3)[1] for seed in range(6)]
    game = pirate_envs.load(name)
    player = GuidedSearch(game, "search", knows_nothing(game), 30, drawn=drawn)
    together = player.act(decisions_of(game, positions)).tolist()
    assert together == [int(player.act(decisions_of(game, [g]))[0]) for g in positions]
    monkeypatch.setattr("pirate_envs.agents.guided.AT_ONCE", 64)
    assert together == player.act(decisions_of(game, positions)).tolist()
    assert AT_ONCE > 64


def test_in_bfloat16_it_plays_by_the_rounded_network_and_chooses_by_the_exact_priors() -> None:
    game = pirate_envs.load("skull_king", players=4)
    exact, rounded = guided_players(":belief:value", ":belief:value:bfloat16")
    positions = [position("skull_king", seed, 30 + 5 * seed)[1] for seed in range(8)]
    decisions = decisions_of(game, positions)
    together = rounded.search(decisions)
    found = exact.search(decisions)
    assert np.array_equal(together.priors, found.priors)
    both = (found.worlds > 0) & (together.worlds > 0)
    assert both.any() and not np.array_equal(together.leads, found.leads)
    assert np.abs(together.leads - found.leads)[both].mean() < 0.03  # of the win; a world's leads vary by a third
    alone = [rounded.search(decisions_of(game, [g])) for g in positions]
    assert together.chosen.tolist() == [int(each.chosen[0]) for each in alone]


def test_milliseconds_are_a_budget() -> None:
    game, g = position("skull_king", 5, 30)
    player = GuidedSearch(game, "search", knows_nothing(game), None, 30)
    player.act(decisions_of(game, [g]))
    start = time.perf_counter()
    assert player.act(decisions_of(game, [g]))[0] in game.legal_actions(g)
    assert time.perf_counter() - start >= 0.03


def test_half_of_the_candidates_are_dropped_after_each_round() -> None:
    trial = Trial.of(np.log(np.array([[0.1, 0.4, 0.3, 0.2], [0.4, 0.3, 0.2, 0.1]])), np.zeros(2, np.int64))
    assert trial.actions.tolist() == [[1, 2, 3, 0], [0, 1, 2, 3]] and trial.width == 4
    row, place = np.nonzero(trial.left)
    trial.add(row, place, np.array([[0.0, 0], [1, 1], [5, 5], [4, 4], [7, 7], [0, 0], [8, 8], [7.5, 7.5]]))
    trial.halve()
    assert trial.left.tolist() == [[False, False, True, True], [False, False, True, True]] and trial.width == 2
    row, place = np.nonzero(trial.left)
    trial.add(row, place, np.array([[0.0], [99], [1], [1]]))
    trial.halve()
    assert trial.best().tolist() == [0, 2] and trial.seen == 3


def test_what_the_worlds_cannot_tell_is_left_to_the_policy() -> None:
    """A candidate is better on average in both cases; in the first the worlds do not agree."""
    for outcomes, best in (([-30.0, 32.0, -29.0, 31.0], 0), ([1.0, 1.1, 0.9, 1.0], 1)):
        trial = Trial.of(np.log(np.array([[0.9, 0.1]])), np.zeros(1, np.int64))
        trial.add(np.array([0, 0]), np.array([0, 1]), np.array([[0.0] * 4, outcomes]))
        trial.halve()
        assert trial.best()[0] == best


def test_one_world_alone_moves_no_candidate_that_the_policy_hardly_plays() -> None:
    """One world has no spread, and some worlds have the same lead by chance: neither means that nothing is uncertain."""
    for worlds in (1, 2):
        trial = Trial.of(np.log(np.array([[0.98, 0.01, 0.01]])), np.zeros(1, np.int64))
        trial.add(np.zeros(3, int), np.arange(3), np.array([[0.0], [0.03], [0.02]]).repeat(worlds, axis=1))
        assert trial.scores().argmax() == 0
    trial.add(np.zeros(3, int), np.arange(3), np.array([[0.0], [0.03], [0.02]]).repeat(200, axis=1))
    assert trial.scores().argmax() == 1


@pytest.mark.parametrize(("playouts", "milliseconds"), [(8, None), (35, None), (64, None), (None, 20)])
@pytest.mark.parametrize("by_belief", [False, True])
def test_rule_players_sit_in_every_second_world_of_each_candidate(
    playouts: int | None, milliseconds: int | None, by_belief: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, g = ten_cards()
    seen: list[np.ndarray] = []
    play = Worlds.play

    def noted(worlds: Worlds, actions: np.ndarray, act: Any, horizon: int, others: np.ndarray) -> None:
        seen.append(others.reshape(-1, int((actions == actions[0]).sum())))
        play(worlds, actions, act, horizon, others)

    monkeypatch.setattr(Worlds, "play", noted)
    player = GuidedSearch(game, "search", believes_all(game), playouts, milliseconds, by_belief=by_belief, others=1)
    player.act(decisions_of(game, [g]))
    assert len(seen) >= 3 and all((rows == rows[0]).all() for rows in seen)
    worlds = np.concatenate([rows[0] for rows in seen])
    assert (worlds[::2] == BY_ACT).all() and (worlds[1::2] == 1).all()


def test_by_the_clock_belief_goes_on_to_new_worlds() -> None:
    game, g = ten_cards()
    player = GuidedSearch(game, "search", believes_all(game), None, 1000, by_belief=True)
    decisions = decisions_of(game, [g])
    trial = player._tried(decisions.redacted, np.zeros((1, 6)), np.array([5]))
    assert trial.seen > 2 * BELIEVED and len(np.unique(trial.believed)) == trial.believed.size >= trial.seen
    assert player.act(decisions)[0] in game.legal_actions(g)


def test_a_millisecond_is_few_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    game, g = ten_cards()
    played: list[int] = []
    play = Worlds.play

    def slow(worlds: Worlds, actions: np.ndarray, *rest: Any) -> None:
        played.append(len(actions))
        time.sleep(0.001)
        play(worlds, actions, *rest)

    monkeypatch.setattr(Worlds, "play", slow)
    GuidedSearch(game, "search", knows_nothing(game), None, 1).act(decisions_of(game, [g]))
    assert sum(played) <= 6 + 3 + 2 * 2  # of each candidate one, and of the last two as many as there were before


def test_the_mermaid_takes_the_king_when_both_tricks_are_needed() -> None:
    view = {
        "phase": "play", "hand_number": 2, "leader": 0, "bids": [0, 2], "tricks_won": [0, 0],
        "hands": [["escape"], ["mermaid", "black_13"]], "trick": ["skull_king"],
    }  # fmt: skip
    game = pirate_envs.load("skull_king", players=2)
    g = game.from_view(view)
    player = GuidedSearch(game, "search", knows_nothing(game), 2000)
    assert game.action_name(g, int(player.act(decisions_of(game, [g]))[0])) == "play mermaid"


def test_thinking_helps_a_policy(tmp_path: Path) -> None:
    """One that knows nothing plays what comes first; with forty worlds it beats three that play uniformly, as it does not by
    itself.
    """
    game = pirate_envs.load("skull_king")
    knows_nothing(game).save(tmp_path / "p")
    player = agent(game, f"search:guided:40:policy={tmp_path / 'p'}")
    assert player.name == f"search:guided:40:policy={tmp_path / 'p'}"
    alone, thinking = (
        versus(game, each, agent(game, "random"), deals=6).first()["win_share"].mean
        for each in (agent(game, f"policy:{tmp_path / 'p'}"), player)
    )
    assert thinking > 0.8 and alone < 0.2


def test_a_horizon_beside_a_policy_is_no_part_of_its_folder() -> None:
    """It is how far worlds are played, and the policy that plays them is the same."""
    game, g = position("skull_king", 5, 0)
    name = "search:guided:24"
    acts = {}
    for horizon, stages in (("", 1), (":horizon=1", 1), (":horizon=2", 2), (":horizon=match", TO_MATCH_END)):
        player = agent(game, name + horizon)
        assert isinstance(player, GuidedSearch) and player.name == name + horizon
        assert player._horizon == stages and player.learned == agent(game, "policy:pretrained").learned
        acts[horizon] = player.act(decisions_of(game, [g]))[0]
        assert acts[horizon] in game.legal_actions(g)
    assert acts[""] == acts[":horizon=1"]


def test_playouts_want_records() -> None:
    game, g = position("skull_king", 5, 0)
    with pytest.raises(BatchError, match="without records"):
        agent(game, "search:guided:4").act(decisions_of(game, [g])._replace(records=None))


@pytest.mark.parametrize("name", shipped())
def test_other_seats_play_by_rules_in_every_second_world(name: str) -> None:
    """World by world as one would play it by hand; who tries an action plays by the policy all the while."""
    game, g = position(name, 4, 6)
    decisions, seat = decisions_of(game, [g]), game.seat_to_move(g)
    policy = knows_nothing(game).drawing(greedy=True)
    played = Playouts(game, policy, others=0).play(
        decisions.redacted, np.array([game.legal_actions(g)[0]]), np.array([9]), range(6), 1
    )
    expected = Worlds(game, decisions.redacted, np.array([6]))
    expected.draw(np.full(6, 9), np.arange(6))
    for number, world in enumerate(expected.records):
        stage, waiting = game.verbs["stage"](world), True
        while not game.is_over(world) and game.verbs["stage"](world) == stage:
            mover = game.seat_to_move(world)
            if waiting and mover == seat:
                action, waiting = game.legal_actions(g)[0], False
            elif number % 2 and mover != seat:
                action = game.rule_action(world, 0)
            else:
                action = int(policy.act(decisions_of(game, [world]))[0])
            game.apply(world, action)
        assert played.records[number].tobytes() == world.tobytes()


def test_drawn_playouts_take_each_action_as_often_as_the_policy_says() -> None:
    """The same actions in the same world, whichever action it is tried for and with whichever worlds it is played."""
    game, g = position("piraten_kapern", 4, 0)
    logits = np.linspace(0, 2, game.actions)
    policy = Policy(game, [(np.zeros((game.actions, game.layout.size)), logits)], "relu")
    root, seen, worlds = decisions_of(game, [g]).redacted, [], 4000

    def played(numbers: range, tried: int = 1) -> np.ndarray:
        playouts, first = Playouts(game, policy, drawn=True), np.full(tried, game.legal_actions(g)[-1])
        assert not playouts.policy.greedy
        return playouts.play(np.repeat(root, tried), first, np.full(tried, 9), numbers, 1).records

    class Watched(Policy):
        def act(self, decisions: Decisions) -> np.ndarray:
            actions = super().act(decisions)
            seen.append((decisions.action_masks.copy(), actions))
            return actions

    policy = Watched(game, policy.layers, "relu")
    together = played(range(worlds))
    masks, actions = (np.concatenate(each) for each in zip(*seen, strict=True))
    shares = np.exp(logits) * masks
    shares /= shares.sum(axis=1, keepdims=True)
    taken = np.eye(game.actions)[actions]
    errors = np.sqrt((shares * (1 - shares)).sum(axis=0) + 1e-9)
    assert (np.abs(taken.sum(axis=0) - shares.sum(axis=0)) < 4.5 * errors).all() and (taken.sum(axis=0) > 0).sum() > 3
    assert np.array_equal(played(range(7, 19)), together[7:19])
    twice = played(range(5), tried=2)
    assert np.array_equal(twice[:5], twice[5:]) and len({world.tobytes() for world in twice}) == 5


@pytest.mark.parametrize("name", GAMES)
def test_a_value_head_judges_at_the_horizon(name: str) -> None:
    """One that is sure to lose everywhere is believed where the match goes on, and not where it has ended."""
    game = pirate_envs.load(name)
    policy = knows_nothing(game)
    loses = [(np.zeros((2, policy.known)), np.array([-9.0, 0.0]))]
    game, g = position(name, 4, 8)
    decisions = decisions_of(game, [g])
    worlds = Worlds(game, np.repeat(decisions.redacted, 1), np.array([20]))
    worlds.draw(np.full(20, 9), np.arange(20))
    first = np.full(20, game.legal_actions(g)[0])
    uniform = np.random.default_rng(0)
    judging = policy.judging(loses)
    worlds.play(first, lambda _, masks, __: (uniform.random(masks.shape) * masks).argmax(axis=1), 1)
    shares = worlds.shares(lambda seen: judging.values(seen)[:, 0])
    ended = worlds.records["over"] != 0
    assert np.allclose(shares[~ended], 1 / (1 + np.exp(9))) and ((shares >= 0) & (shares <= 1)).all()
    assert set(shares[ended]) <= {0, 1 / 4, 1 / 3, 1 / 2, 1}
    player = GuidedSearch(game, "guided", judging, 12, by_value=True)
    assert int(player.act(decisions)[0]) in game.legal_actions(g)


def test_a_policy_without_a_value_head_cannot_judge() -> None:
    game = pirate_envs.load("skull_king")
    with pytest.raises(CheckpointError, match="has no value head"):
        GuidedSearch(game, "guided", knows_nothing(game), 12, by_value=True)
