"""What lies between a command and the links: friction and drives, one model each.

table       name -> actuator, what it is, its energy class
actuator    the interface, and the friction of a drive
friction    viscous, Coulomb, Stribeck: a few numbers per joint
networks    friction, residual torque or the whole drive as a network
"""
