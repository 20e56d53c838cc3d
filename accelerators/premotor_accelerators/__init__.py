"""Floor 1: devices behind one protocol, and the boards they sit on."""
