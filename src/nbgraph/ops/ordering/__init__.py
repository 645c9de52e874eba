"""Operations that depend on order along an axis: sorting, indices of extremes, running results."""
