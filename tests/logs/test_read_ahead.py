"""Working ahead changes neither the order of results nor of errors."""

import threading

import pytest

from robotid.logs.read_ahead import worked_on


def test_results_come_in_order_however_long_they_take():
    first_may_end = threading.Event()

    def work(item):
        if item == 0:
            assert first_may_end.wait(10)
        elif item == 1:
            first_may_end.set()
        return -item

    assert list(worked_on(iter(range(20)), work)) == [(i, -i) for i in range(20)]


def test_an_error_of_the_source_comes_after_all_that_came_before_it():
    def source():
        yield from range(2)
        raise ValueError("at the third")

    results = worked_on(source(), str)
    assert [next(results), next(results)] == [(0, "0"), (1, "1")]
    with pytest.raises(ValueError, match="third"):
        next(results)


def test_no_more_is_read_ahead_than_said_and_stopping_ends_the_threads():
    taken = []
    before = threading.active_count()
    results = worked_on((taken.append(i) or i for i in range(100)), str)
    assert next(results) == (0, "0")
    assert len(taken) <= 5
    results.close()
    assert threading.active_count() == before
