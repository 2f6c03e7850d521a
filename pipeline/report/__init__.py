"""One static page with pictures, readable without a network."""
