"""The project's own PPO: every seat's decisions strung together and credited rightly, gradients that do what they should."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from experiments import train
from pirate_envs import games, load
from pirate_envs.agents.learning import network
from pirate_envs.agents.learning import training as course
from pirate_envs.agents.learning.ppo import NONE, PPO, Rollout, held_up
from pirate_envs.agents.learning.settings import MaskablePPOSettings, PPOSettings
from pirate_envs.agents.learning.training import Training
from pirate_envs.agents.player import Decisions
from pirate_envs.core.errors import CheckpointError, OptionError
from pirate_envs.engine import kernels
from pirate_envs.engine.lanes import Lanes
from pirate_envs.engine.seating import LEARNER
from pirate_envs.games import shipped

TINY = PPOSettings(
    "skull_king", decisions=10**9, lanes=32, steps=16, batch=128, width=16, options={"last_hand": 2}, precision="float32"
)
pytestmark = pytest.mark.usefixtures("torch_settings")


class Played:
    """Rollouts of uniform actions in lanes, and beside them each lane's match played once more, one decision at a time."""

    def __init__(self, name: str, *, self_play: float, by_stage: bool, ticks: int = 48, size: int = 12) -> None:
        self.game = load(name, reward="margin", pay_as_scored=True)
        self.lanes = Lanes(self.game, size, seed=5, self_play=self_play)
        self.lanes.reset()
        self.rollout = Rollout(self.game, size, ticks, self.game.layout.size, by_stage=by_stage)
        self.rng = np.random.default_rng(0)

    def tick(self, row: int) -> None:
        self.rollout.note_waiting(row, self.lanes.ledger)
        self.rollout.seen[row], self.rollout.masks[row] = self.lanes.observations, self.lanes.action_masks
        scores = self.rng.random(self.lanes.action_masks.shape) * self.lanes.action_masks
        self.rollout.actions[row] = scores.argmax(1)
        self.lanes.learners_act(self.rollout.actions[row])

    def ticks(self) -> range:
        self.rollout.begin()
        return range(self.game.players, self.rollout.rows)


@pytest.mark.parametrize("name", games())
def test_a_decision_is_paid_what_its_seat_was_paid_until_its_next(name: str) -> None:
    """All seats learn, so that every decision is a tick: the same matches, told by a list, must give the same credit."""
    played = Played(name, self_play=1.0, by_stage=False, ticks=300)
    game, rollout = played.game, played.rollout
    points, before, paid = np.zeros(game.players, np.int64), np.zeros(game.players), np.zeros(game.players)
    owed = np.zeros((played.lanes.size, game.players))
    last: list[dict[int, int]] = [{} for _ in range(played.lanes.size)]  # lane -> seat -> row
    expected = []  # (row, lane, reward, row of the next decision)
    for row in played.ticks():
        records = played.lanes.records.copy()
        played.tick(row)
        for lane, g in enumerate(records):
            seat = int(g.to_move)
            if seat in last[lane]:
                expected.append((last[lane][seat], lane, owed[lane, seat], row))
            last[lane][seat] = row
            owed[lane, seat] = 0
            kernels.play(g, int(rollout.actions[row, lane]), points, before, paid)
            owed[lane] += paid
            if g.over:
                expected += [(own, lane, owed[lane, one], NONE) for one, own in last[lane].items()]
                last[lane], owed[lane] = {}, 0
    rollout._close(np.flatnonzero(played.lanes.ledger["ended"]), played.lanes.ledger)
    assert len(expected) > 2000
    for row, lane, reward, following in expected:
        assert rollout.rewards[row, lane] == pytest.approx(reward, abs=1e-5)
        assert rollout.following[row, lane] == following
        assert rollout.closed[row, lane] == (following == NONE)
    assert rollout.learnable().sum() == len(expected)
    for lane, seats in enumerate(last):
        assert {seat: row for seat, row in enumerate(rollout.open[lane]) if row != NONE} == seats


@pytest.mark.parametrize("self_play", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("by_stage", [False, True])
def test_every_decision_is_learned_from_once(self_play: float, by_stage: bool) -> None:
    """Over several rollouts; a decision that waits keeps what was seen of it."""
    played = Played("skull_king", self_play=self_play, by_stage=by_stage)
    made = learned = 0
    for _ in range(6):
        for row in played.ticks():
            played.tick(row)
            made += played.lanes.size
        learned += int(played.rollout.learnable().sum())
    waiting = int((played.rollout.open != NONE).sum())
    assert made == learned + waiting and learned > 3000
    before = {
        (lane, seat): (played.rollout.seen[row, lane].copy(), played.rollout.actions[row, lane])
        for lane, rows in enumerate(played.rollout.open) for seat, row in enumerate(rows) if row != NONE
    }  # fmt: skip
    played.rollout.begin()
    for (lane, seat), (seen, action) in before.items():
        assert played.rollout.open[lane, seat] == seat
        np.testing.assert_array_equal(played.rollout.seen[seat, lane], seen)
        assert played.rollout.actions[seat, lane] == action


def test_one_learner_meets_the_pool_or_all_seats_learn() -> None:
    played = Played("skull_king", self_play=0.25, by_stage=True, size=4000)
    learners = (played.lanes.ledger["roles"][:, :4] == LEARNER).sum(1)
    assert set(learners) == {1, 4} and (learners == 4).mean() == pytest.approx(0.25, abs=0.03)


def test_options_may_vary_from_match_to_match() -> None:
    """Starting at any hand alike, hand n is played n times as often as hand 1; tables may have fewer seats."""
    range_of_hands = list(range(1, 11))
    settings = replace(TINY, options={}, vary={"first_hand": range_of_hands, "players": [2, 4]}, self_play=1.0)
    ppo = learner(replace(settings, lanes=512, steps=1, critic="all_hands"))
    ppo.iterate(1e-4)
    fresh = ppo.lanes.records[ppo.lanes.records["decisions"] == 1]
    assert len(fresh) == 512 and (fresh["first_hand"] == fresh["hand_number"]).all()
    assert set(fresh["players"]) == {2, 4} and set(fresh["first_hand"]) == set(range(1, 11))
    ppo = learner(replace(settings, lanes=512, steps=128))
    for _ in range(3):
        ppo.iterate(1e-4)
    counts = np.bincount(ppo.rollout.stages[4:].ravel(), minlength=11)[1:]
    hands = counts / np.arange(2, 12)  # decisions of a seat in a hand of n: a bid and n cards
    assert np.corrcoef(hands, np.arange(1, 11))[0, 1] > 0.9
    for vary in ({"first_hand": 3}, {"first_hand": []}, {"players": [2, 6]}, {"first_hand": [0]}):
        with pytest.raises(OptionError):
            learner(replace(settings, vary=vary))


def test_a_stage_ends_the_credit() -> None:
    """By stage, a decision's trajectory goes on exactly as long as its hand."""
    played = Played("skull_king", self_play=1.0, by_stage=True, ticks=120)
    for row in played.ticks():
        played.tick(row)
    rows, lanes = np.nonzero(played.rollout.following != NONE)
    following = played.rollout.following[rows, lanes]
    same_hand = played.rollout.stages[rows, lanes] == played.rollout.stages[following, lanes]
    np.testing.assert_array_equal(played.rollout.closed[rows, lanes], ~same_hand)
    assert same_hand.any() and not same_hand.all()


def test_advantages_follow_their_definition() -> None:
    """Against sums written out along each seat's decisions."""
    played = Played("skull_king", self_play=0.5, by_stage=True, ticks=60)
    rollout = played.rollout
    for _ in range(2):
        for row in played.ticks():
            played.tick(row)
            rollout.values[row] = np.random.default_rng(row).normal(size=played.lanes.size)
    gamma, lam = 0.9, 0.8
    found = rollout.advantages(gamma, lam)

    def advantage(row: int, lane: int) -> float:
        following = int(rollout.following[row, lane])
        if rollout.closed[row, lane]:
            return float(rollout.rewards[row, lane] - rollout.values[row, lane])
        if following == NONE:
            return 0.0
        error = rollout.rewards[row, lane] + gamma * rollout.values[following, lane] - rollout.values[row, lane]
        return float(error + gamma * lam * advantage(following, lane))

    for row in range(rollout.rows):
        for lane in range(played.lanes.size):
            assert found[row, lane] == pytest.approx(advantage(row, lane), abs=1e-4)
    assert (found[~rollout.learnable()] == 0).all()


def test_a_trajectory_by_hand() -> None:
    """Two decisions of one seat with another's between them: values 1 and 2, paid 3 and then 4 at the end."""
    game = load("skull_king", players=2)
    rollout = Rollout(game, 1, 3, game.layout.size, by_stage=False)
    rollout.begin()
    lane = Lanes(game, 1).ledger
    for row, seat, reward in ((2, 0, 0.0), (3, 1, 0.0), (4, 0, 3.0)):
        lane["seat"], lane["reward"] = seat, reward
        rollout.note_waiting(row, lane)
    rollout.values[[2, 4], 0] = 1, 2
    lane["ended"], lane["final"][0, :2] = 1, (4, -4)
    rollout._close(np.array([0]), lane)
    last = 4 - 2
    np.testing.assert_allclose(rollout.advantages(1.0, 0.5)[:, 0], [0, 0, 3 + 2 - 1 + 0.5 * last, -4, last])


@pytest.mark.parametrize("name", games())
def test_the_critic_sees_the_others_private_cards_and_nothing_else(name: str) -> None:
    game = load(name)
    lanes = Lanes(game, 6, seed=3)
    lanes.reset()
    cells = game.layout.private
    hidden = np.full((6, (game.players - 1) * len(cells)), 7.0, np.float32)
    lanes.write_hidden(hidden)
    for i, g in enumerate(lanes.records):
        seats = [(int(lanes.ledger["seat"][i]) + after) % game.players for after in range(1, game.players)]
        expected = [game.observation(g, seat)[cells] for seat in seats]
        np.testing.assert_array_equal(hidden[i], np.concatenate([np.zeros(0), *expected]))
        for seat in range(game.players):  # they are nothing that another seat could read off its own knowledge
            worlds = [game.determinized(g, (seat + 1) % game.players, number) for number in range(5)]
            differs = [(game.observation(world, seat) != game.observation(g, seat))[cells].any() for world in worlds]
            assert len(cells) == 0 or any(differs)


def learner(settings: PPOSettings, folder: Path = Path("nowhere")) -> PPO:
    learner = Training(folder, settings).learner
    assert isinstance(learner, PPO)
    return learner


@pytest.mark.parametrize("changes", [{}, {"critic": "all_hands"}, {"critic": "separate"}, {"activation": "tanh", "layers": 3}])
def test_the_policy_without_torch_plays_the_same(changes: dict[str, Any]) -> None:
    ppo = learner(replace(TINY, **changes))
    ppo.iterate(1e-2)
    row = ppo.rollout.rows - 1
    seen, masks = ppo.rollout.seen[row], ppo.rollout.masks[row]
    chances, _ = ppo.network(torch.from_numpy(seen), torch.from_numpy(masks))
    decisions = Decisions(seen[:, : ppo.game.layout.size], masks, np.zeros(len(seen)), None)
    np.testing.assert_array_equal(ppo.policy(greedy=True).act(decisions), chances.argmax(1).numpy())
    logits = ppo.policy(greedy=True).logits(decisions.observations)
    expected = torch.from_numpy(logits).masked_fill(~torch.from_numpy(masks), -torch.inf).log_softmax(1)
    torch.testing.assert_close(chances[masks], expected[masks], atol=1e-5, rtol=1e-4)
    assert (chances.detach().exp().numpy()[~masks] == 0).all()


def test_training_can_begin_with_a_policy(tmp_path: Path) -> None:
    first = learner(TINY)
    first.iterate(1e-2)
    first.policy(greedy=True).save(tmp_path / "p")
    again = learner(replace(TINY, start=tmp_path / "p", seed=5))
    for (w, b), (v, c) in zip(first.policy(greedy=True).layers, again.policy(greedy=True).layers, strict=True):
        np.testing.assert_array_equal(w, v)
        np.testing.assert_array_equal(b, c)
    for unlike in ({"width": TINY.width // 2}, {"layers": TINY.layers + 1}):
        with pytest.raises(CheckpointError, match="layers of"):
            learner(replace(TINY, start=tmp_path / "p", **unlike))  # type: ignore[arg-type]


def test_a_wider_network_begins_as_the_policy_and_learns_with_more_units(tmp_path: Path) -> None:
    first = learner(TINY)
    first.iterate(1e-2)
    policy = first.policy(greedy=True)
    policy.save(tmp_path / "p")
    wider = learner(replace(TINY, start=tmp_path / "p", width=TINY.width + 8))
    seen = first.rollout.seen.reshape(-1, first.rollout.seen.shape[-1])[:, : first.game.layout.size]
    np.testing.assert_allclose(wider.policy(greedy=True).logits(seen), policy.logits(seen), atol=1e-5)
    wider.iterate(1e-2)
    for weights, _ in wider.policy(greedy=True).layers[1:]:
        assert weights[: TINY.width, TINY.width :].any()


def test_actions_are_drawn_by_their_probabilities() -> None:
    ppo = learner(replace(TINY, lanes=4096, steps=1))
    ppo.iterate(1e-3)
    row = ppo.rollout.rows - 1
    ppo.rollout.seen[row], ppo.rollout.masks[row] = ppo.rollout.seen[row, 0], ppo.rollout.masks[row, 0]
    with torch.inference_mode():
        nn_chances, _ = ppo.network(torch.from_numpy(ppo.rollout.seen[row]), torch.from_numpy(ppo.rollout.masks[row]))
        ppo._decide(row)
    chances = nn_chances[0].exp().numpy()
    shares = np.bincount(ppo.rollout.actions[row], minlength=len(chances)) / 4096
    assert np.abs(shares - chances).max() < 5 * 0.5 / 4096**0.5
    assert (shares[chances < 1e-20] == 0).all()
    np.testing.assert_allclose(ppo.rollout.chosen[row], np.log(chances[ppo.rollout.actions[row]]), rtol=1e-4, atol=1e-5)


def test_an_update_makes_good_actions_likelier() -> None:
    """Rewards put by hand: the lowest legal action is good, all others bad; soon it is what is played."""
    ppo = learner(replace(TINY, epochs=4, entropy=0.0, credit="stage"))
    play = ppo._play

    def paid_by_hand() -> dict[str, float]:
        seen = play()
        ppo.rollout.closed |= ppo.rollout.learnable()
        lowest = ppo.rollout.actions == ppo.rollout.masks.argmax(2)
        ppo.rollout.rewards[:] = np.where(lowest, 1.0, -1.0)
        return seen

    ppo._play = paid_by_hand  # type: ignore[method-assign]
    for _ in range(30):
        measured = ppo.iterate(1e-2)
    choice = ppo.rollout.masks.sum(2) > 1
    lowest = ppo.rollout.actions == ppo.rollout.masks.argmax(2)
    assert lowest[choice].mean() > 0.95 and measured["entropy"] < 0.2 and measured["explained_variance"] < 1


def test_the_entropy_bonus_and_the_divergence_hold_a_policy_back() -> None:
    """A large weight of either keeps the policy from moving as far as it would."""

    def moved(**changes: float) -> tuple[float, float]:
        ppo = learner(replace(TINY, epochs=4, **changes))  # type: ignore[arg-type]
        measured = [ppo.iterate(1e-2) for _ in range(6)][-1]
        return measured["entropy"], measured["approx_kl"]

    entropy, kl = moved(entropy=0.0)
    assert moved(entropy=1.0)[0] > entropy
    assert moved(entropy=0.0, kl=5.0)[1] < kl


def test_the_entropy_bonus_falls_with_the_learning_rate() -> None:
    def moved(**changes: float) -> dict[str, float]:
        return learner(replace(TINY, **changes)).iterate(1e-2)  # type: ignore[arg-type]

    assert moved(entropy=1.0, entropy_end=0.5, learning_rate=1e-2) == moved(entropy=1.0)
    assert moved(entropy=1.0, entropy_end=0.5, learning_rate=1.0) == moved(entropy=0.505) != moved(entropy=1.0)


def test_a_floor_holds_the_entropy_of_a_kind_of_actions() -> None:
    """Bids that would become certain stay open, and nothing else is held up."""

    def learned(**floors: float) -> dict[str, float]:
        ppo = learner(replace(TINY, entropy=0.0, epochs=4, batch=512, entropy_floor=floors))
        measured = [ppo.iterate(2e-2) for _ in range(60)][-20:]
        return {kind: float(np.mean([each[f"entropy_{kind}"] for each in measured])) for kind in ppo.game.action_kinds}

    free, held = learned(), learned(bid=0.7)
    assert free["bid"] < 0.5 and held["bid"] == pytest.approx(0.7, abs=0.1)
    assert held["play a number"] < 0.7 * 0.8


def test_what_is_held_up_by_how_much() -> None:
    kinds, entropy = np.array([0, 0, 1, 1, 2]), torch.tensor([0.2, 0.4, 0.1, 0.1, 0.0])
    np.testing.assert_allclose(held_up(np.array([0.6, 0.05, 0.0]), kinds, entropy), [1, 1, 0, 0, 0])


def test_two_threads_learn_the_same_again_and_go_on_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed and number of threads give the same weights to the bit, resumed or not, whoever trains beside it."""
    monkeypatch.setattr("pirate_envs.engine.lanes.A_SHARE", 1)
    settings = replace(TINY, threads=2, out=tmp_path, lanes=256, steps=4, batch=1024, width=64, epochs=1, self_play=0.5)
    straight, stopped = course.begin(settings), course.begin(settings)
    beside = learner(replace(TINY, lanes=4, steps=4))
    for _ in range(3):
        straight.iterate()
    stopped.iterate()
    beside.iterate(1e-3)
    assert torch.get_num_threads() == 1
    stopped.save()
    assert stopped.folder is not None
    resumed = course.resumed(stopped.folder)
    for _ in range(2):
        resumed.iterate()
    assert torch.get_num_threads() == 2
    found = [run.learner.arrays() for run in (straight, resumed)]
    assert found[0].keys() == found[1].keys()
    for name, array in found[0].items():
        assert array.tobytes() == found[1][name].tobytes(), name


def test_half_precision_learns_too() -> None:
    ppo = learner(replace(TINY, precision="bfloat16"))
    measured = ppo.iterate(1e-3)
    assert all(np.isfinite(parameter.detach().numpy()).all() for parameter in ppo.network.parameters())
    assert 0 < measured["entropy"] < 2 and ppo.policy(greedy=True).layers[0][0].dtype == np.float32


@pytest.mark.parametrize("faster", ["float32", "bfloat16"])
def test_the_faster_precision_is_taken_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faster: str) -> None:
    """Whichever the trial finds faster, and whatever another machine would find when the run is gone on with."""
    seconds = {"float32": 2.0, "bfloat16": 2.0, faster: 1.0}
    monkeypatch.setattr(network, "seconds_of_update", lambda *_: seconds)
    training = course.begin(replace(TINY, precision="auto", out=tmp_path))
    assert training.learner.precision == faster
    assert training.learner.network.halved == (faster == "bfloat16")  # type: ignore[attr-defined]
    training.iterate()
    training.save()
    seconds[faster] = 3.0
    again = course.resumed(training.folder)  # type: ignore[arg-type]
    assert again.learner.precision == faster
    assert again.learner.network.halved == (faster == "bfloat16")  # type: ignore[attr-defined]
    assert torch.get_float32_matmul_precision() == ("medium" if faster == "bfloat16" else "highest")
    for each in (training, again):
        each.iterate()
    for mine, other in zip(training.policy().layers, again.policy().layers, strict=True):
        np.testing.assert_array_equal(mine[0], other[0])


def test_the_trial_of_precisions_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It computes in both, draws nothing, and leaves weights, gradients and generator as they were."""
    monkeypatch.setattr(network, "TRIAL_SECONDS", 0.0)
    trained = learner(TINY)
    trained.iterate(1e-3)
    before = [parameter.detach().clone() for parameter in trained.network.parameters()]
    chance = torch.get_rng_state()
    seconds = network.seconds_of_update(trained.network, 64)
    assert set(seconds) == {"float32", "bfloat16"} and all(value > 0 for value in seconds.values())
    assert torch.equal(chance, torch.get_rng_state())
    for parameter, value in zip(trained.network.parameters(), before, strict=True):
        assert torch.equal(parameter, value) and parameter.grad is None


@pytest.mark.parametrize("name", games())
def test_equal_networks_have_equal_parameters(name: str) -> None:
    """A critic of its own makes the network MaskablePPO's; the padding of an observation is no parameter."""
    shape: dict[str, Any] = {
        "players": load(name).players,
        "lanes": 8,
        "width": 24,
        "layers": 2,
        "activation": "tanh",
        "reward_scale": 1.0,
        "out": None,
    }
    stock = Training(None, MaskablePPOSettings(name, decisions=1, **shape)).learner
    own = learner(PPOSettings(name, decisions=1, critic="separate", precision="float32", **shape))
    assert own.parameters == stock.parameters
    size, first = own.game.layout.size, own.network.trunk[0].weight
    before = first.detach().clone()
    own.iterate(1e-2)
    own.iterate(1e-2)
    assert torch.equal(before[:, size:], first[:, size:]) and not torch.equal(before[:, :size], first[:, :size])
    shared = learner(PPOSettings(name, decisions=1, precision="float32", **shape))
    inputs = size * 24 + 24 + 24 * 24 + 24
    assert shared.parameters == inputs + 24 * shared.game.actions + shared.game.actions + 24 + 1
    assert own.parameters == shared.parameters + inputs


def test_a_separate_critic_learns_beside_the_policy() -> None:
    """With no weight on the value loss the critic's network stays; with it, it moves."""
    for weight, moves in ((0.0, False), (0.5, True)):
        ppo = learner(replace(TINY, critic="separate", value_coefficient=weight))
        before = ppo.network.critic[0].weight.detach().clone()  # type: ignore[index, union-attr]
        ppo.iterate(1e-2)
        ppo.iterate(1e-2)
        assert torch.equal(before, ppo.network.critic[0].weight) != moves  # type: ignore[index, union-attr]


def test_bad_settings() -> None:
    for changes in (
        {"self_play": 1.5}, {"critic": "oracle"}, {"credit": "life"}, {"precision": "int4"}, {"device": "abacus"},
        {"gamma": 1.5}, {"gae_lambda": -0.1}, {"clip": 0.0}, {"kl": -1.0}, {"entropy": float("nan")},
        {"entropy_end": -0.1},
        {"learning_rate": float("nan")},
        *({"threads": threads} for threads in (0, -1, 1.5, "2", True, 257)),
    ):  # fmt: skip
        with pytest.raises(OptionError):
            course.begin(replace(TINY, **changes))  # type: ignore[arg-type]


@pytest.mark.long
def test_it_beats_random_play_in_every_game(tmp_path: Path) -> None:
    """A million decisions beat random play clearly, at tables of four."""
    for name in shipped():
        folder = train.main(PPOSettings(name, decisions=1_000_000, out=tmp_path, final_deals=500))
        won = course.runs.read_json(folder / "results.json")["evaluations"]["random"]["figures"]
        assert next(iter(won.values()))["win_share"]["low"] > 0.3
