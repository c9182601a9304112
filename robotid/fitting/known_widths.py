"""Widths of friction that an earlier fit of the same robot has."""

from robotid.information.layout import Layout


def widths_of(layout: Layout, like: Layout) -> list[int] | None:
    """For each of the candidates which one the other layout has; None if it lacks one of them.

    Args:
        layout: with candidates.
        like: with one width per term.
    """
    known = {(c.owner, c.term): c.width for c in like.own if not like.candidates}
    picks = []
    for group in layout.candidates:
        width = known.get((group.owner, group.term))
        if width not in group.widths:
            return None
        picks.append(group.widths.index(width))
    return picks
