"""C++ that is compiled on the machine it runs on, once, and kept."""
