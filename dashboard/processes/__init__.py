"""The processes of one host: started, kept up and ended together. Knows no Django."""
