-- The keys of personal data. The schema has nothing else, so that a backup can leave it out.
CREATE SCHEMA personal_data;

CREATE TABLE personal_data.account_key (
  -- Empty for calls of nobody's account.
  account_id   text COLLATE "C" NOT NULL,
  -- Empty for the key of an account; `2026-11` for the one of the client addresses of that month (UTC).
  period       text COLLATE "C" NOT NULL CHECK (period ~ '^(|[0-9]{4}-[0-9]{2})$'),
  key_id       text COLLATE "C" NOT NULL UNIQUE,
  -- The key of the installation under which `wrapped` is encrypted.
  master_id    text COLLATE "C" NOT NULL,
  -- Null once it is destroyed. The row stays, so that no other key takes its place and readers can say "erased".
  wrapped      bytea,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  destroyed_at timestamptz CHECK ((destroyed_at IS NULL) = (wrapped IS NOT NULL)),
  PRIMARY KEY (account_id, period)
);
