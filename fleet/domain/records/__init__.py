"""What was seen in a cluster, parsed once at the edge. From any mode a model's parts look alike.

Every record is a frozen dataclass of plain values, so it can be compared, kept as JSON and
replayed.
A moment not seen is None, never zero; unknown enum values of the API are kept as the text they are.
"""
