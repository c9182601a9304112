"""Numbers and single children of robot files, with the place in every complaint."""

import math
from collections.abc import Sequence

from robotid.robot.xml_source import Element, XmlSource

# Lengths, masses and inertias beyond this are mistakes, and squaring them must not overflow.
LARGEST = 1e12


def only(source: XmlSource, parent: Element, tag: str) -> Element | None:
    """The child of a tag, of which there may be one."""
    found = parent.all(tag)
    if len(found) > 1:
        source.fail("given-twice", f"<{parent.tag}> has two <{tag}>", found[1])
    return found[0] if found else None


def needed(source: XmlSource, parent: Element, tag: str) -> Element:
    """The child of a tag, which must be there."""
    found = only(source, parent, tag)
    if found is None:
        source.fail("missing-element", f"<{parent.tag}> needs <{tag}>", parent)
    return found


def name_of(source: XmlSource, element: Element, attribute: str = "name") -> str:
    """An attribute that holds a name."""
    name = element.attributes.get(attribute, "").strip()
    if not name:
        source.fail("missing-attribute", f'<{element.tag}> needs {attribute}="…"', element)
    return name


def vector(
    source: XmlSource,
    element: Element | None,
    attribute: str,
    default: Sequence[float],
    largest: float = LARGEST,
) -> tuple[float, ...]:
    """As many numbers as the default has; the default where nothing is given."""
    if element is None or attribute not in element.attributes:
        return tuple(default)
    words = element.attributes[attribute].split()
    if len(words) != len(default):
        said = f"{attribute} has {len(words)} numbers, {len(default)} are needed"
        source.fail("bad-number", f"<{element.tag}>: {said}", element)
    return tuple(_number(source, element, attribute, word, largest) for word in words)


def number(
    source: XmlSource,
    element: Element,
    attribute: str,
    default: float | None = None,
    largest: float = LARGEST,
) -> float:
    """One number; one without a default must be there."""
    if attribute not in element.attributes and default is None:
        source.fail("missing-attribute", f'<{element.tag}> needs {attribute}="…"', element)
    return vector(source, element, attribute, [default or 0.0], largest)[0]


def _number(
    source: XmlSource, element: Element, attribute: str, word: str, largest: float
) -> float:
    where = f"<{element.tag}>: {attribute}"
    try:
        if "_" in word or not word.isascii():  # Python reads these, robot files do not have them
            raise ValueError(word)
        value = float(word)
    except ValueError:
        source.fail("bad-number", f"{where}: {word[:40]!r} is not a number", element)
    if not math.isfinite(value):
        source.fail("bad-number", f"{where}: {word[:40]} is not finite", element)
    if abs(value) > largest:
        source.fail("bad-number", f"{where}: {value:g} is beyond {largest:g}", element)
    return value
