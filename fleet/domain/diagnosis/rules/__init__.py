"""The rules, one module an area; `table.RULES` lists them."""
