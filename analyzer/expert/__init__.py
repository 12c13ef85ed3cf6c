"""What is wrong in a capture: rules over the tables, each a function in one table (rules.py); docs/findings.md."""
