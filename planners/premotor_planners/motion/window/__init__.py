"""Local control in a rolling window: evidence from scans, clearance, cost-to-go, and the controllers that use them."""
