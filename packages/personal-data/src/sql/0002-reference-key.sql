-- The keys of customer references, so that one end customer can be erased alone.
CREATE TABLE personal_data.reference_key (
  key_id         text COLLATE "C" PRIMARY KEY,
  account_id     text COLLATE "C" NOT NULL,
  -- Keyed hash of the reference, under the key of the installation that wraps the row. Null once the key is destroyed.
  reference_hash bytea CHECK (octet_length(reference_hash) = 32),
  -- The same as of the key of the account.
  master_id      text COLLATE "C" NOT NULL,
  -- The key and its reference. Null once it is destroyed. The row stays, so that readers can say "erased".
  wrapped        bytea,
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  destroyed_at   timestamptz CHECK ((destroyed_at IS NULL) = (wrapped IS NOT NULL)),
  CHECK ((reference_hash IS NULL) = (wrapped IS NULL))
);
CREATE UNIQUE INDEX reference_key_of_reference ON personal_data.reference_key (account_id, reference_hash)
WHERE reference_hash IS NOT NULL;
