"""Information factors: samples reduced, without loss, to small triangular matrices.

structure   base parameters of a layout
projection  what contacts without force sensors leave of generalised forces
projected   factors of that
samples     generalised samples of a recording: q, qd, qdd, tau
layout      which parameters there are, and which each row of torque depends on
compiled    machine code kept between processes
lanes       motion of bodies and columns for a batch of samples, in numba
kernel      the fused numba kernel: samples to Gram matrices, and the dense regressor
program     a robot as the arrays the kernel runs on
regressor   the dense regressor for many samples
basis       columns that are independent for every motion, and the others from them
small       small triangular matrices in numba
triangular  triangular factors from Gram matrices
factor      Factor: what the samples of one row say; merging
other_basis the same factor in other independent columns
factorise   samples in memory to factors
stream      one pass in constant memory: factors block by block
held        signs of friction with memory, while a recording is read
recording   factors of a recording's file, to a file and back
system      one least-squares problem out of factors
reference   the same by plain QR in torch, for tests
"""
