"""What is known of a scalar operator, and how it is shown: facts, certificates, texts, C code."""
