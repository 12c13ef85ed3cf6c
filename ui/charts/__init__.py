"""Charts over time, drawn from min/max pyramids."""
