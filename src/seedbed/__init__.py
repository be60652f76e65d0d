"""Seedbed re-measures the headline claims of ICLR 2026 papers; each paper's method is a package of its own."""
