"""Forward models left to run: motions, energies, and where they diverge.

integrate   Runge-Kutta steps for many starts at once, halved where one is not enough
"""
