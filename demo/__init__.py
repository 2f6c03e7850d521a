"""`make demo`: a cluster with clients that have to wait, and then the report that says why."""
