"""Display filters: a text like `snapshot.status == crc && !client == 10.0.0.0/8` to masks over the tables' rows."""
