"""One opened capture: reads, decodes in batches, writes the tables, answers questions about single rows."""
