"""`make demo`: a cluster whose clients have to wait, and a report of the waits."""
