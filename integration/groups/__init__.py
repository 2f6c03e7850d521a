"""Plays the group scripts of tests/broker/groups to a broker over the network."""
