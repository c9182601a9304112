"""Nine ways to write a link's inertial parameters as numbers that may take any value.

table       name -> parametrisation, and the class of its entries
central     those that give mass, first moment and the inertia about the centre of mass
factored    those that give a triangular factor of the pseudo-inertia
body        what every one of them results in, and how a given phi is taken apart
"""
