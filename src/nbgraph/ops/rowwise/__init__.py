"""Row operators from one Python function of a row: traced, differentiated, certified."""
