-- Webhook endpoints, their deliveries, and the outcome of each attempt. Primary tables: they cannot be rebuilt from the log.
CREATE SCHEMA webhooks;

CREATE TABLE webhooks.endpoint (
  endpoint_id                text COLLATE "C" PRIMARY KEY,
  account_id                 text COLLATE "C" NOT NULL,
  livemode                   bool NOT NULL,
  -- Of a recipient of e-mail `mailto:` with the address, sealed.
  url                        text NOT NULL,
  payload                    text NOT NULL CHECK (payload IN ('full', 'thin', 'slack', 'email')),
  -- Types of messages that it gets; null: all.
  events                     text[],
  status                     text NOT NULL CHECK (status IN ('enabled', 'disabled')),
  disabled_reason            text CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL)),
  -- Encrypted; see secret-box.ts. The previous secret also signs until its time ends. E-mail carries no signature.
  sealed_secret              bytea CHECK ((sealed_secret IS NULL) = (payload = 'email')),
  sealed_previous_secret     bytea,
  previous_secret_expires_at timestamptz CHECK ((sealed_previous_secret IS NULL) = (previous_secret_expires_at IS NULL)),
  created_at                 timestamptz NOT NULL,
  -- An endpoint proves itself: its receiver accepts a test message before it is sent the results of jobs. A recipient of e-mail confirms.
  proven_at                  timestamptz
);
CREATE INDEX endpoint_of_account ON webhooks.endpoint (account_id, livemode, created_at, endpoint_id);
CREATE UNIQUE INDEX endpoint_recipient ON webhooks.endpoint (account_id, livemode, url) WHERE payload = 'email';
CREATE INDEX endpoint_unproven ON webhooks.endpoint (endpoint_id) WHERE proven_at IS NULL;

-- Bodies, one per job and payload kind. Written once and never changed: every attempt sends the same bytes.
CREATE TABLE webhooks.body (
  body_id    text COLLATE "C" PRIMARY KEY,
  body       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE webhooks.delivery (
  delivery_id     text COLLATE "C" PRIMARY KEY,
  webhook_id      text COLLATE "C" NOT NULL,
  endpoint_id     text COLLATE "C" NOT NULL REFERENCES webhooks.endpoint ON DELETE CASCADE,
  account_id      text COLLATE "C" NOT NULL,
  livemode        bool NOT NULL,
  type            text NOT NULL,
  job_id          text COLLATE "C",
  payload         text NOT NULL CHECK (payload IN ('full', 'thin', 'slack', 'email')),
  -- Null until the results of the job can be read.
  body_id         text COLLATE "C" REFERENCES webhooks.body,
  status          text NOT NULL CHECK (status IN ('pending', 'delivered', 'exhausted', 'held')),
  -- Attempts since the start or the last redelivery: the position in the retry schedule.
  attempts        int4 NOT NULL DEFAULT 0,
  attempts_total  int4 NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  -- Claimable from this time; a claim sets it to the end of the lease.
  due_at          timestamptz NOT NULL,
  -- Number of claims. A sender with an older number has lost its lease.
  claim           int8 NOT NULL DEFAULT 0,
  created_at      timestamptz NOT NULL DEFAULT now(),
  ended_at        timestamptz,
  -- The trace that a delivery continues (W3C Trace Context); null where none was made.
  traceparent     text
) WITH (fillfactor = 70);
CREATE INDEX delivery_due ON webhooks.delivery (endpoint_id, due_at) WHERE status = 'pending' AND body_id IS NOT NULL;
CREATE INDEX delivery_without_body ON webhooks.delivery (job_id) WHERE body_id IS NULL;
-- Each status is a range in the order of the list, and Postgres merges the ranges that a list has.
CREATE INDEX delivery_newest ON webhooks.delivery (endpoint_id, status, created_at DESC, delivery_id DESC);
CREATE INDEX delivery_undelivered ON webhooks.delivery (created_at) WHERE status IN ('pending', 'held');
CREATE INDEX delivery_created ON webhooks.delivery (created_at);
CREATE INDEX delivery_body ON webhooks.delivery (body_id);

CREATE TABLE webhooks.attempt (
  delivery_id      text COLLATE "C" NOT NULL REFERENCES webhooks.delivery ON DELETE CASCADE,
  number           int4 NOT NULL,
  attempted_at     timestamptz NOT NULL,
  -- Null if there was no answer; then there is an error.
  status_code      int4,
  error            text,
  duration_ms      int4 NOT NULL,
  response_excerpt text,
  -- The header webhook-signature as sent; null for e-mail.
  signature        text,
  PRIMARY KEY (delivery_id, number)
);

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
