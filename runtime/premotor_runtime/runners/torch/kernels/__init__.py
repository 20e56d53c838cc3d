"""Triton kernels. Importing a module here imports Triton; set TRITON_INTERPRET=1 before that to run them on the CPU.

Written for sm_80 and later, among them Orin's sm_87, for whose 16 multiprocessors and 164 KB of shared memory the tiles
are small (16-bit types: at most 48 KB a program); no feature of Hopper is used. Numbers that change from step to step
reach a kernel through tensors, or unspecialised, so that nothing is compiled anew while a robot waits.
"""
