"""The project's random stream, written with plain Python integers.

Every value is an unsigned 32-bit number; sums and products wrap around.
"""

WORD = 0xFFFFFFFF


def mix(x: int) -> int:
    """Scramble one 32-bit word; different words stay different."""
    x ^= x >> 16
    x = x * 0x21F0AAAD & WORD
    x ^= x >> 15
    x = x * 0x735A2D97 & WORD
    return x ^ x >> 15


def rotate_left(x: int, bits: int) -> int:
    """Turn a 32-bit word to the left; what falls out comes back on the right."""
    return (x << bits | x >> 32 - bits) & WORD


class Stream:
    """An xoshiro128++ generator, set up from a 64-bit seed and a stream number."""

    def __init__(self, seed: int, stream: int) -> None:
        low, high = seed & WORD, seed >> 32 & WORD
        s0 = mix(low + 0x9E3779B9 & WORD)
        s1 = mix(high + s0 & WORD)
        s2 = mix(stream + s1 & WORD)
        s3 = mix(s2 + s0 + 0x85EBCA6B & WORD) | 1  # odd, so never all four are zero
        self.words = (s0, s1, s2, s3)

    def next(self) -> int:
        """Return the next 32-bit word."""
        s0, s1, s2, s3 = self.words
        result = rotate_left(s0 + s3 & WORD, 7) + s0 & WORD
        shifted = s1 << 9 & WORD
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        self.words = (s0, s1, s2, rotate_left(s3, 11))
        return result

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1, all exactly equally likely (Lemire)."""
        product = self.next() * n
        if product & WORD < n:
            threshold = (2**32 - n) % n
            while product & WORD < threshold:
                product = self.next() * n
        return product >> 32
