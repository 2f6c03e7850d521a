"""The connections of clients: frames in, one request in progress, responses out."""
