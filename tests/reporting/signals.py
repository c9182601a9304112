"""Excerpts to draw, made by hand: smooth motions of the double pendulum and torques for them."""

import numpy as np

from robotid.contracts.residuals import Excerpt, Window, write_residuals
from robotid.models.from_fit import read_fitted
from tests.reporting.results import JOINTS, metrics

RATE_HZ = 100.0


def motion(samples=400, start_s=0.0):
    """Times (T,) and q, qd, qdd (T, 2) of two sines."""
    t = start_s + np.arange(samples) / RATE_HZ
    size, speed = np.array([0.8, 0.5]), np.array([1.7, 2.9])
    phase = t[:, None] * speed
    return t, size * np.sin(phase), size * speed * np.cos(phase), -size * speed**2 * np.sin(phase)


def window(recording="run2", split="test", samples=400, start_s=0.0, error=0.0, temperature=None):
    """Torques are 3 sin(t); predictions lack the error (a number or (T, 2))."""
    t, q, qd, qdd = motion(samples, start_s)
    tau = np.column_stack([3 * np.sin(t), 2 * np.cos(t)])
    return Window(recording, split, t, q, qd, qdd, tau, tau - error, temperature)


def excerpt(*windows):
    return Excerpt(JOINTS, windows)


def with_excerpt(view, *windows):
    """The view, with these windows in its folder."""
    write_residuals(view.folder, excerpt(*windows))
    return view


def torques_of(folder, samples=400, split="test"):
    """A window whose measured torques are those of the fitted model, predictions as well."""
    t, q, qd, qdd = motion(samples)
    tau = read_fitted(folder).model.torque(q, qd, qdd)
    return Window("run2", split, t, q, qd, qdd, tau, tau)


__all__ = ["JOINTS", "excerpt", "metrics", "motion", "torques_of", "window", "with_excerpt"]
