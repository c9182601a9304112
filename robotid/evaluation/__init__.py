"""How good a fit is, and how far to trust it.

metrics            the five metrics of one row of torque, from sums or from samples
scores             metrics of parameters and of baselines by split, from factors only
trends             errors block by block; what changes over a recording or a session
offsets            torque offsets that differ between recordings
monotone           whether a few values go one way, and how far
excerpts           measured and predicted torques of a bounded number of samples
residual_file      the same as a Parquet file
correlation        how long residuals stay alike, beside what the filter makes of them
whiteness          what residuals still hold: correlation in time, friction, delay, inertia
cross_validation   errors on recordings that a fit has not seen, in turns
gates              limits that a user sets
verdict            usable or not, in one sentence, with reasons
remarks            what should be known of a fit besides
"""
