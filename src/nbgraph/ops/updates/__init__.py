"""Update rules of optimizers, and their steps as operators."""
