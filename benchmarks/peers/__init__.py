"""What a user would run instead, stage by stage: both in one run, with what each of them got right.

comparison  two or more ways to do one task, in turns: medians, spread, ratio
reading     a CSV log to Parquet: pandas, polars
filtering   zero-phase filter and accelerations: scipy and numpy
torques     inverse dynamics with gradients: differentiable-robot-model, a Pinocchio loop
scripts     a whole log to parameters: scipy, a Pinocchio loop and numpy, in memory and as commands
consistent  links that can exist: FIGAROH, cvxpy
simulated   parameters of a simulation: MuJoCo sysid
designing   trajectories that excite: SLSQP and random ones
simulating  logs of a simulated arm: a loop over MuJoCo's steps
pages       a fit to a page: matplotlib
"""
