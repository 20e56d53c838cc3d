"""Worlds of cylinders to drive through: those of the BARN data set and denser generated ones, and their benchmark."""
