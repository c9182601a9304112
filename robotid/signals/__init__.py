"""Signals on a uniform grid: resampling, zero-phase filters, differentiation."""
