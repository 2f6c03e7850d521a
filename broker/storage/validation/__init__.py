"""What a leader checks and changes in a batch before it appends it."""
