"""Reports on scalar operators: facts, certificates, texts, and export as C code."""
