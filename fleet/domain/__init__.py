"""The pure core: frozen facts and functions over them. Standard library only; the clock is always
an argument."""
