"""The verbs of the contract as stubs; called on a record, each plays the function of that record's game.

`g` is one record, `seat` 0..players-1, `words` an array of uint64 words (core/bits.py), `out` a float32 row. A stage is what
lies between two points at which points are scored and chance comes anew: a hand, turn or cycle. The optional verbs do what
their stub says where a game has none of its own; the stub's docstring tells what is lost.
"""

from pirate_envs.core.jit import verb


@verb
def deal(g):
    """Start a match from the record's options and seed, up to the first decision."""


@verb
def legal(g, words):
    """Write the legal actions of the seat to move into `words`; never empty before the end."""


@verb
def apply(g, action):
    """Play one legal decision and all that follows without one, up to the next decision or the end."""


@verb
def score(g, points):
    """Write each seat's points so far (int64) and return the bit set of the seats that are ahead (winners at the end)."""


@verb
def observe(g, seat, out):
    """Write the seat's observation, every cell of it."""


@verb
def redact(g, seat):
    """Blank in place all that the seat cannot know."""


@verb
def determinize(g, seat):
    """Fill a redacted record with one random world that agrees with all the seat knows, drawing from g.gen."""


# -- optional ----------------------------------------------------------------------------------------------------------


@verb(optional=True)
def reopen(g):
    """Take back the sealed choices of the seats asked before the mover: the first of them is to move again, if there is any.

    Without it nothing is taken back: a search imagines sealed choices as `determinize` draws them.
    """


@verb(optional=True)
def flaw(g, redacted):
    """What is wrong with a record whose fields are all in their ranges: the number, from 1, of one of `Game.flaws`; 0: nothing.

    It tells whether the match can be played on to its end from here. A redacted record may lack what `redact` blanks.
    Without it ranges are all that a record from outside is held to.
    """
    return 0


@verb(optional=True)
def knows(g, seat):
    """Is what the seat holds in a redacted record? Not if the record was redacted for another seat.

    Without it any redacted record may be asked about any seat: there is nothing that one seat alone holds.
    """
    return True


@verb(optional=True)
def rule_action(g, player):
    """The action of rule player number `player` (weakest first) for the seat to move, from what that seat may see.

    Without it the game has no rule players: `Game.rule_players` is empty, and nothing asks.
    """
    return -1


@verb(optional=True)
def weighted_action(g, weights):
    """What the strongest rule player would do by other numbers (float64, as `Game.weights`).

    Without it there is nothing to tune: `Game.weights` is None, and nothing asks.
    """
    return -1


@verb(optional=True)
def stage(g):
    """Number of the hand, turn or cycle that is being played.

    Without it the whole match is one stage: a search's horizon is the end of the match, and so is a learner's credit.
    """
    return 0


@verb(optional=True)
def tally(before, action, g, counts):
    """Count what the action that led from `before` to `g` tells about each seat: counts (int64, (players, tallies)).

    Without it the game has no figures but points, wins, margins and ranks.
    """


REQUIRED = ("deal", "legal", "apply", "score", "observe", "redact", "determinize")
OPTIONAL = ("reopen", "flaw", "knows", "rule_action", "weighted_action", "stage", "tally")
