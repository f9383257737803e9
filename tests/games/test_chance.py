"""The referees' random stream, against published words and worked-out numbers."""

from collections import Counter

from tests.games.chance import Stream, mix

# Chance


def test_xoshiro_gives_the_published_words() -> None:
    stream = Stream(0, 0)
    stream.words = (1, 2, 3, 4)
    assert [stream.next() for _ in range(4)] == [641, 1573767, 3222811527, 3517856514]


def test_set_up_uses_the_whole_seed_and_the_stream_number() -> None:
    setups = [(0, 0), (1, 0), (1 << 32, 0), (0, 1), (2**64 - 1, 2**32 - 1)]
    words = [Stream(*setup).words for setup in setups]
    assert len(set(words)) == len(words)
    assert all(0 <= word < 2**32 for state in words for word in state)
    assert all(state[3] % 2 == 1 for state in words)
    assert mix(0) == 0


def test_below_rejects_the_surplus_words() -> None:
    class Given(Stream):
        def __init__(self, *words: int) -> None:
            self.left = list(words)

        def next(self) -> int:
            return self.left.pop(0)

    # 2**32 = 3 * 1431655765 + 1: one word too many for thirds, and it is word 0.
    assert Given(0, 2**32 - 1).below(3) == 2
    assert Given(1).below(3) == 0
    assert Given(0).below(4) == 0
    assert Given(12345).below(1) == 0


def test_below_is_even() -> None:
    stream = Stream(7, 3)
    counts = Counter(stream.below(6) for _ in range(6000))
    assert sorted(counts) == list(range(6))
    assert all(850 < count < 1150 for count in counts.values())
