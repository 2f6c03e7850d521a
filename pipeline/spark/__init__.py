"""Spark itself: Java, jars, and the session."""
