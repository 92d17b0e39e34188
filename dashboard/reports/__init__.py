"""The weekly report for people and files.

texts -> numbers as words     page -> all that page, file and mail show     sections -> its tables
written -> HTML, CSV, JSON, Markdown
"""
