"""`manage.py demo`: simulated clusters and the whole product on them, as child processes.

It knows the product by its command line and its HTTP answers alone.
"""
