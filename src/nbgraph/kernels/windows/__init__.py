"""Texts of convolutions, pools and other kernels over windows."""
