"""What the reflex and the brain share, the board, and who watches over the brain, the supervisor. No planners here."""
