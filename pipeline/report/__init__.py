"""One static HTML page with plots, which needs no network."""
