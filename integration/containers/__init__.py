"""The Docker engine of this machine, and the image of the broker."""
