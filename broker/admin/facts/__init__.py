"""What the admin interface returns about a running cluster, and where its parts have it."""
