"""The rules, a file for each kind of layer; `judging.judge` asks them."""
