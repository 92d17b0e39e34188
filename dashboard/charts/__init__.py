"""Pictures as values: bars of phases and columns of a timeline."""
