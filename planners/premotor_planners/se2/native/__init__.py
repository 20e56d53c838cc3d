"""Curves, outlines and the search over positions and headings, compiled once for this machine."""
