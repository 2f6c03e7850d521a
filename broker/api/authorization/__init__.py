"""What clients may do: the checks of each API, and the functions with which handlers make them."""
