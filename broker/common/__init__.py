"""What every room may use: errors, the clock, partition names, numbers as Java has them."""
