-- Token buckets of the places that messages go to: one of each host with its port, one of each address. A bucket that is lost in a
-- crash of the database is full again, so that the table needs no write-ahead log.
CREATE UNLOGGED TABLE webhooks.destination (
  name       text COLLATE "C" PRIMARY KEY,
  -- Microseconds since 1970: when the bucket is full again.
  full_at_us int8 NOT NULL,
  -- The time of the last message that waits for a token.
  turn_at_us int8 NOT NULL,
  -- What the last call asked for, and got.
  wanted     int8 NOT NULL,
  granted    int8 NOT NULL
) WITH (fillfactor = 50);
