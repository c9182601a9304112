"""Robots under control of fitted models: how well they follow, and how much feedback it takes.

options     what a user may ask for          gains       how stiff the feedback is
moved       the robot that is moved          contenders  the models that drive it, and baselines
moves       what joints should do            law         what a controller asks of a model
joint_law   joints that follow a reference   reaching    a hand that follows a path
tasks       law and reference of a task      encoders    what the controller sees
bounds      limits, and margins around them  watch       cases that leave them are stopped
closed_loop all cases through time           sums        what is kept of them
outcomes    figures of all cases             ranking     which model follows best
compared    all of it together               remarks     what to know of it
"""
