"""ACLs, the decisions that follow from them, and the filters that select them."""
