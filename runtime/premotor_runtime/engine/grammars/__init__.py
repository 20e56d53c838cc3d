"""What may be said next: kinds of grammar, and the engine behind them."""
