"""Devices, one a file; a vendor's library is imported only in its own file, and only when the device is made."""
