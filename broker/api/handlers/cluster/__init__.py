"""Requests about the nodes of the cluster: versions, coordinators, directories, features."""
