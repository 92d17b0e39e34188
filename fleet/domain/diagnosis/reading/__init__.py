"""From raw JSON, whatever it is, to `Evidence`: nothing in here raises for what it is given."""
