"""The links of nodes to the controller: requests, and sessions."""
