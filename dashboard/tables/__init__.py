"""Tables whose columns are declared once and give a page's heads, CSV and JSON.

    columns -> what a table is          written -> its rows as pieces of a file
    answers -> a download that streams: thousands of rows in little memory

A new table is one `Table` and one entry in `dashboard.views.table_files`.
"""
