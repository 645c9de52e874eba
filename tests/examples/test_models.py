"""Boxes, characters, and coefficients that scikit-learn finds too."""

import numpy as np
import pytest

from examples import boxes, characters, logistic


def test_coefficients_are_those_of_scikit_learn():
    found, expected = logistic.main()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_boxes_are_found_with_the_smooth_l1_loss():
    """The loss of the document, as a scalar function, in a network that finds boxes."""
    assert boxes.main(epochs=6) > 0.7


def test_overlap_is_intersection_over_union():
    a = np.array([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 1.0, 1.0]])
    b = np.array([[1.0, 1.0, 3.0, 3.0], [2.0, 2.0, 3.0, 3.0]])
    np.testing.assert_allclose(boxes.overlap(a, b), [1 / 7, 0])


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("name", ["lstm", "transformer"])
def test_characters_are_guessed_better_than_by_counting(name):
    """Text that ships with Python; nats a character, on text that was not trained with."""
    found = characters.main([name], epochs=2)
    assert found[name] < found["counts"] - 0.25


def test_windows_are_stretches_and_what_follows():
    x, y = characters.windows(np.arange(8), 3)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]] and y.tolist() == [[1, 2, 3], [4, 5, 6]]
