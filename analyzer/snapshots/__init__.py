"""What every snapshot protocol has in common: parts, bases, chains, changes and who lost what."""
