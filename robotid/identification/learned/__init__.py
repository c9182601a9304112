"""A learned torque model from data, whole.

stretches   samples without gaps, split by split
started     the model before it is trained: its architecture, links from an SDP or at random
warm        the same from an earlier fit
learn       training, errors, verdict, files
scored      errors of the model and its parts, beside baselines
"""
