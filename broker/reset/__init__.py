"""A clean slate: removes what clients have made in a running cluster, without a restart."""
