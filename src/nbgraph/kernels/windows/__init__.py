"""Kernels of convolutions, pools and other operations over windows."""
