"""The operations, one file per noun: narrow to the caller's scope, filter, page, shape."""
