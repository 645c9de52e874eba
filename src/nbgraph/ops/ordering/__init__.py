"""What depends on the order along an axis: sorting, places of extremes, running results."""
