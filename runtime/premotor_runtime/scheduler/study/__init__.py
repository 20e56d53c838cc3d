"""How good the admission is: random task sets, judged and then simulated; a day in virtual time."""
