"""What a user would run instead, stage by stage: both in one run, with what each of them got right.

comparison  two or more ways to do one task, in turns: medians, spread, ratio
reading     a CSV log to Parquet: pandas, polars
filtering   zero-phase filter and accelerations: scipy and numpy
torques     batched inverse dynamics with gradients: differentiable-robot-model
scripts     a whole log to parameters: scipy, a Pinocchio loop and numpy
consistent  links that can exist: FIGAROH, cvxpy
simulated   parameters of a simulation: MuJoCo sysid
"""
