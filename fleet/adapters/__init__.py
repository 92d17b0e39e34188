"""The only code that talks to anything outside. Adapters keep the ports and know no rows."""
