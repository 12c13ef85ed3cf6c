"""What a person starts: the `snapscope` command."""
