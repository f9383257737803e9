"""Beginning matches: the chain of match seeds that every door follows."""

from __future__ import annotations

import numpy as np

from pirate_envs.core import verbs
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.rng import Stream, key, next32


@compiled
def next_seed(g):
    """Replace the record's seed by that of the following match: the first words of the stream NEXT_MATCH of its own."""
    key(g.gen, np.int64(g.seed[0]), np.int64(g.seed[1]), Stream.NEXT_MATCH)
    g.seed[0] = next32(g.gen)
    g.seed[1] = next32(g.gen)


@compiled_apart
def begin_match(g):
    """Deal the match of the record's seed; one that ends with nothing to decide is passed over for the next in the chain."""
    verbs.deal(g)
    while g.over:
        next_seed(g)
        verbs.deal(g)


@compiled_apart
def next_match(g):
    """Deal the match that follows this one."""
    next_seed(g)
    begin_match(g)
