"""Keys: equal values have equal bytes, different ones do not."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotid.store.canonical import canonical, digest, tagged

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(st.dictionaries(st.text(), leaves))
def test_order_of_keys_does_not_matter(value):
    turned = dict(reversed(list(value.items())))
    assert canonical(tagged(value)) == canonical(tagged(turned))


def same(a, b) -> bool:
    """Equality that tells types and the sign of zero apart."""
    if isinstance(a, float) and isinstance(b, float):
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return a == b


@given(values, values)
def test_different_values_have_different_bytes(a, b):
    assert (canonical(tagged(a)) == canonical(tagged(b))) == same(a, b)


def test_c35_look_alikes_differ():
    look_alikes = [1, "1", True, 1.0, "f:0x1.0000000000000p+0", "s:1", None, "null", [1], {"1": 1}]
    look_alikes += [0, 0.0, -0.0, False, "", [], {}]
    for a, b in itertools.combinations(look_alikes, 2):
        assert digest(tagged(a)) != digest(tagged(b)), (a, b)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [math.nan], {"a": math.inf}])
def test_c35_values_that_are_not_finite_are_refused(value):
    with pytest.raises(ValueError, match="cannot be part of a key"):
        tagged(value)


@pytest.mark.parametrize("value", [b"bytes", {1: 2}, object(), {"a": {1, 2}}])
def test_other_types_are_refused(value):
    with pytest.raises(TypeError):
        tagged(value)


def test_golden_digest():
    """A change of this digest makes every existing cache useless: raise FORMAT on purpose."""
    value = {"b": [1, 2.5, "x", None, True], "a": {"é": -0.0}}
    assert canonical(tagged(value)) == (
        b'{"a":{"\\u00e9":"f:-0x0.0p+0"},"b":[1,"f:0x1.4000000000000p+1","s:x",null,true]}'
    )
    expected = "da7c1fdbe2c5b6b0fb69f8239fdb6eb92b6d25949c99869f6c669167932e27d4"
    assert digest(tagged(value)) == expected
