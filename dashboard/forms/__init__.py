"""What people may send, checked before a use case sees it."""
