"""From raw objects, as files or the API server give them, to settings. Nothing here raises: what
is of a wrong type is as if it were not there."""
