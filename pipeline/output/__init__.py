"""The output folder: files, tables, and the manifest that publishes them together."""
