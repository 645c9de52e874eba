"""Random configurations of operators and layers, each as ours and as PyTorch's; one family a file."""
