"""Pages: thin views over QuerySets."""
