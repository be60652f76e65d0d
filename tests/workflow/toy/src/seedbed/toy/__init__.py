"""A paper for the tests of the workflow."""
