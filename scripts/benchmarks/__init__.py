"""What `scripts/bench` measures, a module each for ours, the peers, the window, and the table they end in."""
