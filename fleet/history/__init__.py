"""The only writer of rows; records <-> rows."""
