"""The strip over the whole width: a lane for each client, a bar for each snapshot, and the range that panes share."""
