"""Random configurations of operators and layers, ours beside PyTorch's; one family a file."""
