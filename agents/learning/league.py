"""A league: a main learner, its past selves, exploiters and the game's other players, in rounds of lessons and duels.

    league = begin_league(LeagueSettings("skull_king", start="policy:pretrained"))     # leagues.py
    with Workers(2).doing(do_job, hear_ctrl_c=False) as do:
        league.run(do)                    # stopped or killed: `resumed_league(folder)` goes on to the same bits

In a round every learner learns for a lesson, all apart from each other: the main one against a mix of the pool, the harder an
opponent the more often (prioritised fictitious self-play, Vinyals et al. 2019), each exploiter against the latest main player
alone. Then the new main player, and exploiters that have beaten it or have had their time, join the pool, and duels with all
that is in it fill in the payoff matrix. Every seed follows from the league's, the round's number and the job's name, so that
what comes out does not depend on who does the jobs, nor on where they were cut off.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import LARGEST_SEED
from pirate_envs.agents.arena.workers import Doing
from pirate_envs.agents.learning import runs
from pirate_envs.agents.learning.league_jobs import (
    WON,
    Arrays,
    Duel,
    Job,
    LessonPart,
    carried_from,
    decisions_in,
    policy_from,
)
from pirate_envs.agents.learning.league_state import EXPLOITER, MAIN, Challenge, Contender, check_state
from pirate_envs.agents.learning.payoffs import PayoffMatrix, Tally
from pirate_envs.agents.learning.pieces import Pieces
from pirate_envs.agents.learning.saved import MOST_DECISIONS
from pirate_envs.agents.learning.settings import LeagueSettings, PPOSettings
from pirate_envs.agents.learning.training import games_of, plain
from pirate_envs.agents.player import Agent
from pirate_envs.agents.policy import Policy, replace_policy
from pirate_envs.core.errors import CheckpointError, PirateError
from pirate_envs.core.files import FolderLock, clear_leftovers
from pirate_envs.core.game import Game
from pirate_envs.engine.seating import compiled_names

KIND, USUAL_ROUNDS, KEPT = "league", 20, 2
PLAYERS, PIECES = "players", "round"


class League:
    """Its learners, pool, payoffs and folder, after some rounds; the zeroth has duels alone."""

    def __init__(self, folder: Path, settings: LeagueSettings) -> None:
        """The settings are checked and complete (`begin_league`)."""
        self.folder, self.settings = folder, settings
        self.game: Game = games_of(self._learner())[0]
        self.round = -1
        """The last one that is over."""
        self.seconds = 0.0
        self.payoffs = PayoffMatrix(self.game.players)
        self.contenders: dict[str, Contender] = {}
        self.challenges: list[Challenge] = []
        self.met: list[dict[str, float]] = []
        """Of each round from the first on: the main learner's opponents and their shares."""
        self.lessons = dict.fromkeys(self.exploiters, 0)
        """Exploiter -> lessons since it began anew."""
        self.carried: dict[str, dict[str, np.ndarray]] = {}
        """Learner -> what it goes on from."""
        self.pieces = Pieces(folder / PIECES, seal_of(settings))
        self.lock: FolderLock | None = None
        self._unsaved: list[Contender] = []
        for sort, names in (("regular", settings.regulars), ("search", settings.search)):
            for name in names:
                self._join(Contender(name, sort, agent(self.game, name)))  # type: ignore[arg-type]

    # -- who there is --------------------------------------------------------------------------------------------------

    @property
    def exploiters(self) -> list[str]:
        """The learners that are exploiters."""
        return [f"{EXPLOITER}-{number}" for number in range(1, self.settings.exploiters + 1)]

    @property
    def main(self) -> str:
        """The latest main player."""
        return f"{MAIN}-{max(self.round, 0)}"

    @property
    def iterations(self) -> int:
        """Updates of a learner in a lesson."""
        return math.ceil(self.settings.lesson / self._rollout)

    @property
    def _rollout(self) -> int:
        return self.settings.learner.lanes * self.settings.learner.steps

    @property
    def decisions(self) -> int:
        """Those of the main learner in all rounds that are over."""
        return max(self.round, 0) * self.iterations * self._rollout

    def pool(self, *, search: bool = False) -> list[Contender]:
        """Who is in it; with those that search."""
        return [each for each in self.contenders.values() if not each.left and (search or each.sort != "search")]

    def _join(self, contender: Contender) -> None:
        self.contenders[contender.name] = contender

    def _searches(self, number: int) -> bool:
        """Whether searching players take part in a round."""
        return number > 0 and number % self.settings.search_every == 0 and bool(self.settings.search)

    # -- rounds --------------------------------------------------------------------------------------------------------

    def run(self, do: Doing, stop: Callable[[], bool] = lambda: False, watch: Callable[[League], None] | None = None) -> bool:
        """Play rounds until the last one, or until `stop` says so; True at the last. `watch` is called after each round.

        Raises CheckpointError for pieces that are not this league's, and what the workers raise.
        """
        while self.round < (self.settings.rounds or USUAL_ROUNDS):
            start = time.perf_counter()
            if not self._play_round(self.round + 1, do, stop):
                return False
            self.seconds += time.perf_counter() - start
            self._save()
            if watch is not None:
                watch(self)
        return True

    def _play_round(self, number: int, do: Doing, stop: Callable[[], bool]) -> bool:
        """False if it was stopped; then only its pieces have changed."""

        def done(jobs: list[Job], **more: Any) -> dict[str, dict[str, np.ndarray]] | None:
            return self.pieces.all_done(number, jobs, do, stop, **more)

        learned: dict[str, Arrays] = {}
        if number > 0:
            lessons = done([self._first_part(number, learner) for learner in self._learners()], follow=self._follow(number))
            if lessons is None:
                return False
            learned = {learner: lessons[self._part_name(learner, len(self._ends()) - 1)] for learner in self._learners()}
        challenges = done(self._challenge_jobs(number, learned)) if number > 0 else {}
        if challenges is None:
            return False
        newcomers, judged = self._newcomers(number, learned, challenges)
        duels = list(self._duels(number, newcomers))
        found = done([duel for duel, _ in duels])
        if found is None:
            return False
        self._end_round(number, learned, newcomers, judged)
        for duel, pair in duels:
            self.payoffs.add(*pair, self._shares(found[duel.name], duel.deals))
        self._make_room()
        return True

    def _learners(self) -> list[str]:
        return [MAIN, *self.exploiters]

    def _shares(self, arrays: Arrays, deals: int) -> np.ndarray:
        """What a duel has left. Raises CheckpointError."""
        won = arrays.get(WON)
        if won is None or won.shape != (deals,) or won.dtype != np.float64 or not ((won >= 0) & (won <= 1)).all():
            raise CheckpointError(f"a duel of {self.folder / PIECES} holds no shares of {deals} deals; delete that folder")
        return won

    # -- lessons --------------------------------------------------------------------------------------------------------

    def _learner(self) -> PPOSettings:
        """How all learn, in this game."""
        about = self.settings
        return dataclasses.replace(about.learner, game=about.game, players=about.players, options=about.options, out=None)

    def _ends(self) -> list[int]:
        """Decisions in a lesson at the end of each of its parts."""
        each = max(1, self.settings.part // self._rollout)
        return [min(at + each, self.iterations) * self._rollout for at in range(0, self.iterations, each)]

    @staticmethod
    def _part_name(learner: str, part: int) -> str:
        return f"{learner}.{part:06d}"

    def _first_part(self, number: int, learner: str) -> Job:
        """The last part of a learner's lesson that is done, or the first one."""
        for part in range(len(self._ends()) - 1, 0, -1):
            if (self.pieces.folder / self._part_name(learner, part)).exists():
                return self._part(number, learner, part, {})
        return self._part(number, learner, 0, {})

    def _follow(self, number: int) -> Callable[[Job, dict[str, np.ndarray]], Job | None]:
        def follow(job: Job, arrays: dict[str, np.ndarray]) -> Job | None:
            """The next part of the lesson; the one before is no longer needed."""
            assert isinstance(job, LessonPart)
            part = int(job.name.rpartition(".")[2])
            if decisions_in(arrays, MOST_DECISIONS) != job.until:
                raise CheckpointError(f"{self.pieces.folder / job.name} ends elsewhere; delete it to have it done anew")
            if part > 0:
                self.pieces.drop(self._part_name(job.learner, part - 1))
            return self._part(number, job.learner, part + 1, arrays) if part + 1 < len(self._ends()) else None

        return follow

    def _part(self, number: int, learner: str, part: int, saved: Arrays) -> LessonPart:
        """A part of a learner's lesson in a round, that goes on from what the part before has left."""
        settings, ends = self.settings, self._ends()
        mix, players = self._opponents(number, learner, last=part == len(ends) - 1)
        begins = part == 0 and learner not in self.carried
        given = settings.start is not None if learner == MAIN else settings.exploit_from == MAIN
        return LessonPart(
            name=self._part_name(learner, part),
            learner=learner,
            settings=dataclasses.replace(
                self._learner(),
                self_play=settings.self_play if learner == MAIN else 0.0,
                seed=seed_of(settings.seed, number, learner),
            ),
            mix=mix,
            opponents=players,
            saved=saved,
            carried=self.carried.get(learner, {}) if part == 0 else {},
            policy=self._begins_with(learner) if begins else None,
            until=ends[part],
            rates=self._rates(number, learner),
            lesson=ends[-1],
            warm_up=settings.warm_up if given and learner not in self.carried else 0,
        )

    def _begins_with(self, learner: str) -> Policy | None:
        """Whose weights a learner begins with that carries nothing."""
        if learner != MAIN and self.settings.exploit_from == "nothing":
            return None
        policy = self.contenders[self.main].player
        assert isinstance(policy, Policy)
        return policy

    def _rates(self, number: int, learner: str) -> tuple[float, float]:
        """Learning rates at a lesson's two ends: a straight line to a twentieth, over all rounds or an exploiter's time."""
        whole = (self.settings.rounds or USUAL_ROUNDS) if learner == MAIN else self.settings.patience
        before = number - 1 if learner == MAIN else self.lessons[learner]
        start, end = (self.settings.learner.learning_rate * (1 - 0.95 * at / whole) for at in (before, before + 1))
        return start, end

    def _opponents(self, number: int, learner: str, *, last: bool) -> tuple[dict[str, float], dict[str, Agent]]:
        """Shares of a learner's opponents, and those that the compiled loop does not play; `last`: in a lesson's last part."""
        shares = self.shares() if learner == MAIN else {self.main: 1.0}
        searches = learner == MAIN and self._searches(number)
        if searches and last:
            hard = self.payoffs.weights(self.main, self.settings.search, self.settings.hardness)
            part = self.settings.search_share
            shares = {name: (1 - part) * share for name, share in shares.items()}
            shares |= {name: part * share for name, share in hard.items()}
        mix: dict[str, float] = {}
        for name, share in shares.items():
            role = self.contenders[name].player.role
            own = name if role is None else compiled_names(self.game)[role]
            mix[own] = mix.get(own, 0.0) + share
        asked = list(self.shares() if learner == MAIN else shares) + (list(self.settings.search) if searches else [])
        players = {name: self.contenders[name].player for name in asked}
        return mix, {name: player for name, player in players.items() if player.role is None}

    def shares(self) -> dict[str, float]:
        """Which of the pool the main learner meets next, and how much of the opponents' seats each has: regulars, and the
        hardest of past selves and exploiters.
        """
        pool = self.pool()
        weights = self.payoffs.weights(self.main, [each.name for each in pool], self.settings.hardness)
        regulars = [each.name for each in pool if each.sort == "regular"]
        past = [each.name for each in pool if each.sort != "regular"]
        met = regulars + sorted(past, key=lambda name: -weights[name])[: self.settings.met]
        whole = sum(weights[name] for name in met)
        return {name: weights[name] / whole for name in met if weights[name] > 0} if whole > 0 else {self.main: 1.0}

    # -- duels ---------------------------------------------------------------------------------------------------------

    def _player(self, learner: str, arrays: Arrays, name: str) -> Policy:
        policy = policy_from(self.game, arrays, self.settings.learner.activation, name)
        policy.settings = plain(self._learner())
        return policy

    def _challenge_jobs(self, number: int, learned: Mapping[str, Arrays]) -> list[Job]:
        """Each exploiter against the main player that it has learned against, on deals that no duel is played on: who joins is
        chosen by these, and measured by those.
        """
        target, seed = self.contenders[self.main].player, seed_of(self.settings.seed, number, "challenges")
        return [
            Duel(f"challenge.{name}", self.game, self._player(name, learned[name], name), target, self.settings.deals, seed)
            for name in self.exploiters
        ]

    def _newcomers(
        self, number: int, learned: Mapping[str, Arrays], found: Mapping[str, Arrays]
    ) -> tuple[list[Contender], list[Challenge]]:
        """Who joins the pool at the end of a round, and how its challenges ended."""
        if number == 0:
            return [Contender(self.main, MAIN, self._first_self())], []
        newcomers = [Contender(f"{MAIN}-{number}", MAIN, self._player(MAIN, learned[MAIN], f"{MAIN}-{number}"))]
        challenges = []
        for name in self.exploiters:
            tally = Tally.of(self._shares(found[f"challenge.{name}"], self.settings.deals))
            beaten = tally.share.low > 1 / self.game.players
            over = self.lessons[name] + 1 >= self.settings.patience
            outcome = "has beaten it" if beaten else "has had its time" if over else "goes on"
            challenges.append(Challenge(number, name, self.main, tally, outcome))  # type: ignore[arg-type]
            if outcome != "goes on":
                own = f"{name}-{number}"
                newcomers.append(Contender(own, EXPLOITER, self._player(name, learned[name], own)))
        return newcomers, challenges

    def _first_self(self) -> Policy:
        return Policy.load(self.game, self.folder / PLAYERS / f"{MAIN}-0", name=f"{MAIN}-0")

    def _duels(self, number: int, newcomers: list[Contender]) -> Iterator[tuple[Duel, tuple[str, str]]]:
        """Newcomers against all in the pool and each other, in the zeroth round all pairs; each with who against whom."""
        everybody = [*self.pool(), *newcomers]
        searching = [each for each in self.pool(search=True) if each.sort == "search"] if self._searches(number) else []
        new = [each.name for each in newcomers]
        pairs = [
            (one, other, self.settings.deals)
            for one in everybody
            for other in everybody
            if one is not other and (number == 0 or one.name in new or other.name in new)
        ]
        for each in searching:
            pairs += [(newcomers[0], each, self.settings.search_deals), (each, newcomers[0], self.settings.search_deals)]
        if self.game.players == 2:  # both sides at once
            pairs = [pair for at, pair in enumerate(pairs) if (pair[1], pair[0], pair[2]) not in pairs[:at]]
        seed = seed_of(self.settings.seed, number, "deals")
        for at, (one, other, deals) in enumerate(pairs):
            yield Duel(f"duel.{at:06d}", self.game, one.player, other.player, deals, seed), (one.name, other.name)

    def _end_round(
        self, number: int, learned: Mapping[str, Arrays], newcomers: list[Contender], challenges: list[Challenge]
    ) -> None:
        """Note who has joined, what the learners go on from, and who begins anew."""
        if number > 0:
            self.met.append(self.shares())
        self.round = number
        for newcomer in newcomers:
            self._join(newcomer)
        self._unsaved = newcomers
        self.carried = {learner: carried_from(arrays) for learner, arrays in learned.items()}
        for challenge in challenges:
            self.lessons[challenge.exploiter] += 1
            if challenge.outcome != "goes on":
                del self.carried[challenge.exploiter]
                self.lessons[challenge.exploiter] = 0
        self.challenges += challenges

    def _make_room(self) -> None:
        """Where there are too many past selves and exploiters, the easiest for the latest self go."""
        stay = (self.main, f"{MAIN}-0")
        past = [each.name for each in self.pool() if each.sort in (MAIN, EXPLOITER)]
        weights = self.payoffs.weights(self.main, past, self.settings.hardness)
        easiest = sorted((name for name in past if name not in stay), key=lambda name: weights[name])
        for name in easiest[: max(0, len(past) - self.settings.pool)]:
            self.contenders[name].left = True

    # -- saving --------------------------------------------------------------------------------------------------------

    def _save(self) -> None:
        """Players first, then the checkpoint that speaks of them; then the round's pieces may go."""
        for each in self._unsaved:
            folder = self.folder / PLAYERS / each.name
            if not _is_saved(self.game, folder, each.player):
                assert isinstance(each.player, Policy)
                replace_policy(each.player, folder)
        self._unsaved = []
        arrays = {f"{learner}.{name}": array for learner, own in self.carried.items() for name, array in own.items()}
        numbers = {"decisions": self.decisions, "seconds": self.seconds, "league": self._state()}
        policy = self.contenders[self.main].player
        assert isinstance(policy, Policy)
        runs.save_checkpoint(self.folder / "checkpoints", policy, arrays, numbers, KEPT)
        self.pieces.clear()

    def _state(self) -> dict[str, Any]:
        """All but arrays and players, ready for JSON."""
        return {
            "round": self.round,
            "contenders": [[each.name, each.sort, each.left] for each in self.contenders.values()],
            "learned": {
                each.name: each.player.learned for each in self.contenders.values() if each.sort in ("regular", "search")
            },
            "payoffs": self.payoffs.as_list(),
            "challenges": [
                [each.round, each.exploiter, each.target, each.tally.deals, each.tally.won, each.tally.squares, each.outcome]
                for each in self.challenges
            ],
            "met": self.met,
            "lessons": self.lessons,
        }

    def load(self) -> None:
        """Go back to the last round that is over, if one is. Raises CheckpointError."""
        clear_leftovers(self.folder / PLAYERS)
        if runs.newest_checkpoint(self.folder) is not None:
            self._load_checkpoint()
        elif [path.name for path in (self.folder / PLAYERS).glob("*")] != [f"{MAIN}-0"]:
            told = "but players of rounds that are over, or none at all"
            raise CheckpointError(f"{self.folder} holds no complete checkpoint, {told}")
        self.pieces.open(self.round + 1)

    def _load_checkpoint(self) -> None:
        path, arrays, numbers = runs.read_checkpoint(self.folder)
        try:
            Policy.load(self.game, path)
            self.seconds = runs.checked_seconds(numbers["seconds"])
            self._take(numbers["league"], arrays)
        except PirateError as error:
            raise CheckpointError(f"{path} cannot be resumed: {error}") from None
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError) as error:
            raise CheckpointError(f"{path} cannot be resumed: {error!r}") from None

    def _take(self, state: Mapping[str, Any], arrays: Arrays) -> None:
        """Take over what `_state` gave.

        Raises CheckpointError, OptionError, LookupError, ValueError, TypeError, AttributeError or ArithmeticError.
        """
        fixed = {each.name: each.sort for each in self.contenders.values()}
        check_state(state, fixed, self.exploiters, self.settings.patience)
        self.round = state["round"]
        for name, learned in state["learned"].items():
            if self.contenders[name].player.learned != learned:
                raise CheckpointError(f"{name} plays by other weights than when the league began")
        for name, sort, left in state["contenders"]:
            if name not in self.contenders:
                player = Policy.load(self.game, self.folder / PLAYERS / name, name=name)
                self._join(Contender(name, sort, player, left))
        self.payoffs = PayoffMatrix.of_list(self.game.players, state["payoffs"])
        self.challenges = [Challenge(row[0], row[1], row[2], Tally(*row[3:6]), row[6]) for row in state["challenges"]]
        for challenge in self.challenges:
            challenge.tally.check()
        self.met = [dict(row) for row in state["met"]]
        self.lessons = {name: state["lessons"][name] for name in self.exploiters}
        self.carried = {
            learner: own
            for learner in self._learners()
            if (own := {name.removeprefix(f"{learner}."): a for name, a in arrays.items() if name.startswith(f"{learner}.")})
        }
        self.contenders[self.main]  # LookupError if it is not there


def _is_saved(game: Game, folder: Path, player: Agent) -> bool:
    try:
        return Policy.load(game, folder).learned == player.learned
    except CheckpointError:
        return False


def seed_of(league: int, number: int, what: str) -> int:
    """The seed of something in a round."""
    digest = hashlib.sha256(f"{league} {number} {what}".encode()).digest()
    return int.from_bytes(digest[:8], "little") % (LARGEST_SEED + 1)


def plain_league(settings: LeagueSettings) -> dict[str, Any]:
    """The settings, ready for JSON."""
    values = {field.name: getattr(settings, field.name) for field in dataclasses.fields(LeagueSettings)}
    lists = {name: list(values[name]) for name in ("regulars", "search")}
    return {**values, **lists, "options": dict(settings.options), "learner": plain(settings.learner), "out": str(settings.out)}


def seal_of(settings: LeagueSettings) -> str:
    """What tells a league from others: all but how long it lasts and where it lies."""
    rest = {name: value for name, value in plain_league(settings).items() if name not in ("rounds", "out")}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()
