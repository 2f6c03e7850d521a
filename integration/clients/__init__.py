"""Programs of users, each for a client library of any age; run by the Python that has it."""
