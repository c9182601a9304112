"""Forward models left to run: motions, energies, and where they diverge.

options     configuration keys, and how a state is written
states      starts that are named, or random
recorded    starts from held-out recordings, with commands and truth
integrate   Runge-Kutta steps for many starts at once, halved where one is not enough
measured    errors over the horizon, growth of energy, divergence, limits left
beside_truth what a fit has found, beside what was simulated
left_to_run one fit from all starts
compared    all fits from the same starts
remarks     what to know of them, in words
"""
