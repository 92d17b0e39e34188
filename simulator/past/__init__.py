"""A past for simulated clusters: days lived through on a driven clock before anybody looks, written
down as the watch messages that a follower would have got."""
