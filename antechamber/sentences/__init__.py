"""The sentences and words in which commands, reports and the analysis describe requests."""
