"""Lagrangians of robots on a floating base as networks: mass matrices as sparse as the tree.

pattern         which entries a factor of the mass matrix has, and which joints each depends on
layers          networks of joints, with derivatives along and back
symmetric       eigenvalues of 3×3 matrices, with derivatives that stay finite
composite       the inertia of the whole robot about its base, which some rigid body could have
potential       what gravity does to a base
energies        what is added to the factor: that inertia, and the potential
lagrangian      `FloatingLagrangian`: forces of all of it
"""
