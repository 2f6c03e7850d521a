"""Requests that describe and alter configurations, levels of loggers, and quotas."""
