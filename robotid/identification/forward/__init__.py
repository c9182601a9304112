"""A whole fit of a forward model: data, start, training, evaluation, files.

samples     what is trained on and what tells when to stop
made        the model before training, from the robot file, an SDP or at random
scored      errors of accelerations beside baselines, and the verdict
found       what was learned, in words and numbers
learn       all of it, one after the other
"""
