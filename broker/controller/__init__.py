"""Which topics exist, their ids, configs and leaders."""
