"""What may run when."""
