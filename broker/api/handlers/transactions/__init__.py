"""Requests of transactional producers and of their coordinators."""
