"""From factors to parameters with uncertainty.

evidence       all factors of a fit, by block and row
prior          what is known before: values of the robot file and their sizes
candidates     widths of friction, chosen among those that factors carry
estimable      sums of parameters that data determine
linear         least squares: ordinary, weighted, with a prior; intervals
block_spread   uncertainty from what blocks disagree about
robust         blocks with larger errors count for less
restream       the same for samples, in further passes
sandwich       their uncertainty, where weights depend on errors
essential      parameters without which data are predicted measurably worse
status         what can be said of each parameter
scaling        the problem in units in which a solver is at ease
cones          physical consistency as cones
sdp            consistent parameters of least loss
consistent     consistent parameters, checked
fit_information  what training data say of all parameters, to be kept
known_widths   widths that an earlier fit has
keys           errors of values as errors of configuration keys
load           what is tied to a link, and what is known of it
load_body      mass, centre and inertia of a load, with intervals and statuses
payload        what a robot carries
gain_problem   least squares in gains, parameters and loads
drive_gains    torque per unit of a drive signal
candidates     widths of friction terms, chosen by the training loss
entries        which unconstrained numbers stand for the parameters of a robot
rigid_body_loss, trust_region, parametrised, pseudo_inertias: Newton's method on them
starts         where a parametrised fit begins
adam           mini-batches of samples, as the papers train
options        configuration keys
exact_update   those of them that cannot continue an earlier fit
solved         what every model is given, and gives
white_box      the table of models
differentiable DiffNEA and DiffBary
"""
