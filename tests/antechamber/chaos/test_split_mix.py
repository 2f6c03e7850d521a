"""The numbers of a seed."""

from __future__ import annotations

from collections import Counter

from antechamber.chaos.split_mix import SEED_MAX, SplitMix


def test_the_numbers_are_those_of_the_published_algorithm() -> None:
    """These are the first numbers of the reference implementation for the seed 1234567."""
    numbers = SplitMix(1234567)

    assert [numbers.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_a_number_is_in_its_range() -> None:
    """Each number of the range occurs, both ends included."""
    numbers = SplitMix(1)

    drawn = Counter(numbers.between(3, 7) for _ in range(1000))

    assert sorted(drawn) == [3, 4, 5, 6, 7]
    assert min(drawn.values()) > 150


def test_a_range_of_one_number() -> None:
    """The number needs no luck."""
    assert SplitMix(SEED_MAX).between(4, 4) == 4


def test_a_chance_has_its_probability() -> None:
    """0 and 100 percent are certain."""
    numbers = SplitMix(2)

    assert not any(numbers.chance(0) for _ in range(1000))
    assert all(numbers.chance(100) for _ in range(1000))
    assert 200 < sum(numbers.chance(25) for _ in range(1000)) < 300


def test_an_item_that_occurs_twice_is_twice_as_likely() -> None:
    """Weights are repetitions."""
    numbers = SplitMix(3)

    drawn = Counter(numbers.choice("aab") for _ in range(3000))

    assert 1850 < drawn["a"] < 2150
