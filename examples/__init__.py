"""Programs that train models on data that ships with Python and scikit-learn."""
