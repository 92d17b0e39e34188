"""How fast and how large: `make bench` prints one JSON line per figure."""
