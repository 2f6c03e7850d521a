"""The links between nodes, and between each node and the controller, with the faults of rules."""
