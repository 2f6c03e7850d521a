"""Runs long work in slices and in worker threads, so that other requests are served meanwhile."""
