"""From factors to parameters with uncertainty.

evidence       all factors of a fit, by block and row
prior          what is known before: values of the robot file and their sizes
candidates     widths of friction, chosen among those that factors carry
estimable      sums of parameters that data determine
linear         least squares: ordinary, weighted, with a prior; intervals
block_spread   uncertainty from what blocks disagree about
robust         blocks with larger errors count for less
restream       the same for samples, in further passes
essential      parameters without which data are predicted measurably worse
status         what can be said of each parameter
scaling        the problem in units in which a solver is at ease
cones          physical consistency as cones
sdp            consistent parameters of least loss
consistent     consistent parameters, checked
least_squares, metrics, pendulum, verdict: one revolute joint from its samples
"""
