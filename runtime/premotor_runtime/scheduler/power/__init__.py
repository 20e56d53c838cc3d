"""Clocks, power mode and temperatures: read, and turned into costs and plans before deadlines are lost."""
