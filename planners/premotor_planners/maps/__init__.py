"""Occupancy grids: made from a world, grown by a radius, searched for lines and reachable floor."""
