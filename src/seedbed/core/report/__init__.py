"""The report: one self-contained HTML page of all papers, and the same verdicts as CSV and Markdown."""
