"""Live capture: a child process that has the right to capture appends to a spool file, whoever started it follows that.

Only the child, `python -m analyzer.capture.live`, loads scapy; control.py is the side that starts it.
"""
