"""Robots under control of fitted models: how well they follow, and how much feedback it takes.

options      what a user may ask for        gains        how stiff the feedback is
moved        the robot that is moved        contenders   the models that drive it, and baselines
moves, sines what joints should do          joint_law    the torque that makes them do so
reaching     a hand that follows a path     encoders     what the controller sees
closed_loop  all cases through time         bounds       when one is stopped
outcomes     figures of all cases           ranking      which model follows best
compared     all of it together             remarks      what to know of it
"""
