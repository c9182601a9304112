"""Colours of charts: told apart with common and with deuteranope eyes, seen on their paper."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import robotid.reporting

STYLE = (Path(robotid.reporting.__file__).parent / "templates" / "style.css").read_text()
LIGHT, DARK = STYLE.split("prefers-color-scheme: dark")[:2]
# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB
EYES = {
    "common": np.eye(3),
    "deuteranope": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "protanope": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}  # fmt: skip
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ.sum(axis=1)


def colour(style, name):
    text = re.search(rf"--{name}: #(\w{{6}});", style).group(1)
    srgb = np.array([int(text[k : k + 2], 16) / 255 for k in (0, 2, 4)])
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def lab(linear):
    share = TO_XYZ @ np.clip(linear, 0, 1) / WHITE
    f = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one, other):
    low, high = sorted(float(TO_XYZ[1] @ c) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("style", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("eyes", EYES)
def test_colours_differ(style, eyes):
    """By 12 units of CIE L*a*b* all, by 20 the first four, which most charts make do with."""
    seen = {f"c{n}": lab(EYES[eyes] @ colour(style, f"c{n}")) for n in range(8)}
    far = {(a, b): np.linalg.norm(seen[a] - seen[b]) for a, b in combinations(seen, 2)}
    assert min(far.values()) > 12, min(far, key=far.get)
    first = {pair: d for pair, d in far.items() if max(pair) <= "c3"}
    assert min(first.values()) > 20, min(first, key=first.get)


@pytest.mark.parametrize("style", [LIGHT, DARK], ids=["light", "dark"])
def test_colours_stand_out_from_the_paper(style):
    """3 for lines, as guidelines for graphics ask; 4.5 for text."""
    paper = colour(style, "paper")
    for name in [f"c{n}" for n in range(8)] + ["grey"]:
        assert contrast(colour(style, name), paper) >= 3, name
    for name in ("ink", "soft", "accent", "good", "bad"):
        assert contrast(colour(style, name), paper) >= 4.5, name
        assert contrast(colour(style, name), colour(style, "panel")) >= 4.5, name
    assert contrast(colour(style, "good"), colour(style, "good-panel")) >= 4.5
    assert contrast(colour(style, "bad"), colour(style, "bad-panel")) >= 4.5
