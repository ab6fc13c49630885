-- Token buckets, one row per key that was used. Unlogged: a row changes with every call, and a bucket that is lost with the
-- server's memory is rebuilt on the safe side (access.bucket_epoch), while a WAL flush per batch of calls would be paid always.
CREATE UNLOGGED TABLE access.bucket (
  key_id text COLLATE "C" PRIMARY KEY,
  -- Microseconds since 1970 at which the bucket will be full again (packages/domain/src/access/token-bucket.ts).
  full_at_us bigint NOT NULL,
  -- The same for the bucket that refuses where the published one is fair use.
  hard_full_at_us bigint NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Since when buckets are remembered. It is lost together with them; a bucket that may have been lost counts as empty at that
-- time, so that a crash of the database server gives nobody a second burst.
CREATE UNLOGGED TABLE access.bucket_epoch (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  since timestamptz NOT NULL
);
INSERT INTO access.bucket_epoch (since) VALUES (clock_timestamp());

-- When a key was last admitted, correct to a minute.
CREATE TABLE access.key_usage (
  -- No foreign key: its check would lock the row of the key, and calls would wait for an operator's change.
  key_id text COLLATE "C" PRIMARY KEY,
  last_used_at timestamptz NOT NULL
);

-- What an Idempotency-Key stands for: which request, and the id its work was given. Whether that work is done is asked where
-- the work is; nothing here says so, and nothing has to be written when it ends.
CREATE TABLE access.idempotency (
  account_id text NOT NULL,
  environment text NOT NULL CHECK (environment IN ('live', 'test')),
  idempotency_key text COLLATE "C" NOT NULL,
  -- SHA-256 of method, path and canonical body.
  request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
  -- report_id or job_id; stays through every retry.
  work_id text NOT NULL,
  -- The call that may work on it, named by the id it would have used had it been the first.
  held_by text NOT NULL,
  lease_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, environment, idempotency_key)
);
CREATE INDEX idempotency_age ON access.idempotency (created_at);

-- Takes up to `wanted` tokens: the arithmetic of packages/domain/src/access/token-bucket.ts on the same integers.
CREATE FUNCTION access.take_tokens(
  full_at_us bigint, now_us bigint, wanted bigint, interval_us bigint, depth bigint,
  OUT granted bigint, OUT available bigint, OUT new_full_at_us bigint
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  from_us bigint := least(greatest(full_at_us, now_us), now_us + depth * interval_us);
BEGIN
  available := (now_us + depth * interval_us - from_us) / interval_us;
  granted := least(wanted, available);
  new_full_at_us := from_us + granted * interval_us;
END
$$;

CREATE FUNCTION access.now_us() RETURNS bigint LANGUAGE sql VOLATILE
RETURN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- Takes the tokens of one key for `wanted` calls, in the order they came. Holds the bucket's row until the statement ends.
-- full_at_us is that before the first of them, at_us the clock they were judged by.
CREATE FUNCTION access.take_from_bucket(
  of_key_id text, issued_at timestamptz, wanted bigint, interval_us bigint, depth bigint,
  hard_interval_us bigint, hard_depth bigint, is_fair_use boolean,
  OUT granted bigint, OUT at_us bigint, OUT full_at_us bigint, OUT hard_full_at_us bigint
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  epoch timestamptz;
  taken record;
  hard record;
BEGIN
  LOOP
    SELECT b.full_at_us, b.hard_full_at_us INTO full_at_us, hard_full_at_us
    FROM access.bucket AS b WHERE b.key_id = of_key_id FOR UPDATE;
    EXIT WHEN FOUND;
    SELECT since INTO epoch FROM access.bucket_epoch;
    IF NOT FOUND THEN
      epoch := clock_timestamp();
      INSERT INTO access.bucket_epoch (since) VALUES (epoch) ON CONFLICT DO NOTHING;
    END IF;
    INSERT INTO access.bucket (key_id, full_at_us, hard_full_at_us) VALUES (
      of_key_id,
      -- Fair use promises no exact figure, so that it starts full.
      CASE WHEN issued_at >= epoch OR is_fair_use THEN 0
           ELSE (extract(epoch FROM epoch) * 1000000)::bigint + depth * interval_us END,
      0
    ) ON CONFLICT DO NOTHING;
  END LOOP;
  -- Read after the row is held: a call judged later is judged by a later clock.
  at_us := access.now_us();
  full_at_us := least(greatest(full_at_us, at_us), at_us + depth * interval_us);
  hard_full_at_us := least(greatest(hard_full_at_us, at_us), at_us + hard_depth * hard_interval_us);
  IF is_fair_use THEN
    hard := access.take_tokens(hard_full_at_us, at_us, wanted, hard_interval_us, hard_depth);
    granted := hard.granted;
    taken := access.take_tokens(full_at_us, at_us, granted, interval_us, depth);
    UPDATE access.bucket AS b
    SET full_at_us = taken.new_full_at_us, hard_full_at_us = hard.new_full_at_us WHERE b.key_id = of_key_id;
  ELSE
    taken := access.take_tokens(full_at_us, at_us, wanted, interval_us, depth);
    granted := taken.granted;
    -- Nothing changes where nothing was left: a refused call writes nothing.
    IF granted > 0 THEN
      UPDATE access.bucket AS b SET full_at_us = taken.new_full_at_us WHERE b.key_id = of_key_id;
    END IF;
  END IF;
END
$$;

-- Reserves an Idempotency-Key. Outcomes: `reserved` (the caller's own id stands from now on), `resumed` (someone gave up on
-- the work with this id; the caller goes on), `held` (someone may be working on it, or it is done), `mismatch`.
CREATE FUNCTION access.reserve(
  of_account text, of_environment text, of_key text, of_hash bytea, candidate_id text, lease_ms bigint, keep_ms bigint,
  OUT reservation text, OUT work_id text
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  known access.idempotency%ROWTYPE;
  lease interval := lease_ms * interval '1 millisecond';
  keep interval := keep_ms * interval '1 millisecond';
BEGIN
  SELECT * INTO known FROM access.idempotency AS i
  WHERE i.account_id = of_account AND i.environment = of_environment AND i.idempotency_key = of_key;
  -- Nothing is written for a repeat: replays are as cheap as reads.
  IF NOT FOUND OR known.created_at <= clock_timestamp() - keep
     OR (known.request_hash = of_hash AND known.lease_until <= clock_timestamp()) THEN
    INSERT INTO access.idempotency AS i
      (account_id, environment, idempotency_key, request_hash, work_id, held_by, lease_until, created_at)
    VALUES (of_account, of_environment, of_key, of_hash, candidate_id, candidate_id, clock_timestamp() + lease, clock_timestamp())
    ON CONFLICT ON CONSTRAINT idempotency_pkey DO UPDATE SET
      held_by = EXCLUDED.held_by,
      lease_until = clock_timestamp() + lease,
      request_hash = EXCLUDED.request_hash,
      work_id = CASE WHEN i.created_at <= clock_timestamp() - keep THEN EXCLUDED.work_id ELSE i.work_id END,
      created_at = CASE WHEN i.created_at <= clock_timestamp() - keep THEN clock_timestamp() ELSE i.created_at END
    WHERE i.created_at <= clock_timestamp() - keep
       OR (i.request_hash = of_hash AND i.lease_until <= clock_timestamp())
    RETURNING * INTO known;
    IF NOT FOUND THEN
      -- Someone else was a moment earlier.
      SELECT * INTO known FROM access.idempotency AS i
      WHERE i.account_id = of_account AND i.environment = of_environment AND i.idempotency_key = of_key;
    END IF;
  END IF;
  work_id := known.work_id;
  reservation := CASE
    WHEN known.request_hash <> of_hash THEN 'mismatch'
    WHEN known.held_by <> candidate_id THEN 'held'
    WHEN known.work_id = candidate_id THEN 'reserved'
    ELSE 'resumed'
  END;
END
$$;

DROP FUNCTION access.admit_calls(text[], bytea[], inet[], text[]);

-- Judges every call of one moment, by this server's clock: key, expiry, revocation, client address, scope, then the key's
-- bucket, then the Idempotency-Key. Each rule is reached only by calls that pass those before it, so that 401 and 403 take no
-- token and a 429 reserves nothing. Rows are locked in one order, buckets by key, then Idempotency-Keys, so that batches
-- of several instances cannot wait for each other in a circle. One row per call, in no particular order.
CREATE FUNCTION access.admit_calls(
  key_ids text[], key_hashes bytea[], client_addresses inet[], required_scopes text[],
  idempotency_keys text[], request_hashes bytea[], candidate_ids text[], lease_ms bigint, keep_ms bigint,
  plan_names text[], intervals_us bigint[], depths bigint[], hard_intervals_us bigint[], hard_depths bigint[], fair_uses boolean[]
) RETURNS TABLE (
  ordinal int, outcome text, key_id text, account_id text, environment text, scope text, plan text, webhook_admin boolean,
  debt_us bigint, hard_debt_us bigint, reservation text, work_id text
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  call record;
  bucket record;
  place int;
  reserving jsonb := '[]';
BEGIN
  FOR call IN
    WITH judged AS (
      SELECT asked.ordinal::int AS ordinal, asked.idempotency_key, k.key_id, k.account_id, k.environment, k.scope, k.plan,
        k.webhook_admin, k.issued_at,
        CASE
          WHEN k.key_id IS NULL THEN 'unknown_key'
          WHEN k.revoked_at <= statement_timestamp() THEN 'revoked_key'
          WHEN k.expires_at <= statement_timestamp() THEN 'expired_key'
          WHEN cardinality(k.allowed_ips) > 0 AND (asked.client_address <<= ANY (k.allowed_ips)) IS NOT TRUE
            THEN 'ip_not_allowed'
          WHEN asked.required_scope = 'read-write' AND k.scope <> 'read-write' THEN 'scope_required'
          ELSE 'admitted'
        END AS outcome
      FROM unnest(key_ids, key_hashes, client_addresses, required_scopes, idempotency_keys)
        WITH ORDINALITY AS asked (key_id, key_hash, client_address, required_scope, idempotency_key, ordinal)
      LEFT JOIN access.api_key AS k ON k.key_id = asked.key_id AND k.key_hash = asked.key_hash
    )
    SELECT j.key_id COLLATE "C" AS key_id, j.outcome, min(j.account_id) AS account_id, min(j.environment) AS environment,
      min(j.scope) AS scope, min(j.plan) AS plan, bool_and(j.webhook_admin) AS webhook_admin, min(j.issued_at) AS issued_at,
      array_agg(j.ordinal ORDER BY j.ordinal) AS ordinals, p.interval_us, p.depth, p.hard_interval_us, p.hard_depth,
      p.fair_use, u.last_used_at
    FROM judged AS j
    LEFT JOIN unnest(plan_names, intervals_us, depths, hard_intervals_us, hard_depths, fair_uses)
      AS p (name, interval_us, depth, hard_interval_us, hard_depth, fair_use) ON p.name = j.plan
    LEFT JOIN access.key_usage AS u ON u.key_id = j.key_id
    GROUP BY 1, 2, p.interval_us, p.depth, p.hard_interval_us, p.hard_depth, p.fair_use, u.last_used_at
    ORDER BY 1, 2
  LOOP
    outcome := call.outcome;
    key_id := call.key_id;
    account_id := call.account_id;
    environment := call.environment;
    scope := call.scope;
    plan := call.plan;
    webhook_admin := call.webhook_admin;
    reservation := NULL;
    work_id := NULL;
    debt_us := NULL;
    hard_debt_us := NULL;

    IF outcome <> 'admitted' THEN
      -- A valid key is told how it stands, without a token taken or a row held.
      IF outcome = 'scope_required' THEN
        SELECT greatest(0, b.full_at_us - access.now_us()) INTO debt_us FROM access.bucket AS b WHERE b.key_id = call.key_id;
        debt_us := coalesce(debt_us, 0);
      END IF;
      FOREACH ordinal IN ARRAY call.ordinals LOOP
        RETURN NEXT;
      END LOOP;
      CONTINUE;
    END IF;

    IF call.interval_us IS NULL THEN
      RAISE EXCEPTION 'Key % is of the plan %, whose figures were not given', call.key_id, call.plan;
    END IF;
    bucket := access.take_from_bucket(call.key_id, call.issued_at, cardinality(call.ordinals), call.interval_us, call.depth,
      call.hard_interval_us, call.hard_depth, call.fair_use);
    -- Written while the bucket's row is held, so that two batches never race for it.
    IF call.last_used_at IS NULL OR call.last_used_at <= clock_timestamp() - interval '1 minute' THEN
      INSERT INTO access.key_usage AS u (key_id, last_used_at) VALUES (call.key_id, clock_timestamp())
      ON CONFLICT ON CONSTRAINT key_usage_pkey DO UPDATE SET last_used_at = EXCLUDED.last_used_at
      WHERE u.last_used_at <= EXCLUDED.last_used_at - interval '1 minute';
    END IF;
    place := 0;
    FOREACH ordinal IN ARRAY call.ordinals LOOP
      place := place + 1;
      outcome := CASE WHEN place <= bucket.granted THEN 'admitted' ELSE 'rate_limited' END;
      debt_us := least(bucket.full_at_us - bucket.at_us + least(place, bucket.granted) * call.interval_us,
        call.depth * call.interval_us);
      hard_debt_us := bucket.hard_full_at_us - bucket.at_us + least(place, bucket.granted) * call.hard_interval_us;
      IF outcome = 'admitted' AND idempotency_keys[ordinal] IS NOT NULL THEN
        reserving := reserving || jsonb_build_object(
          'ordinal', ordinal, 'key_id', key_id, 'account_id', account_id, 'environment', environment, 'scope', scope,
          'plan', plan, 'webhook_admin', webhook_admin, 'debt_us', debt_us, 'hard_debt_us', hard_debt_us);
      ELSE
        RETURN NEXT;
      END IF;
    END LOOP;
  END LOOP;

  outcome := 'admitted';
  FOR call IN
    SELECT r.* FROM jsonb_to_recordset(reserving) AS r (ordinal int, key_id text, account_id text, environment text,
      scope text, plan text, webhook_admin boolean, debt_us bigint, hard_debt_us bigint)
    ORDER BY r.account_id COLLATE "C", r.environment COLLATE "C", idempotency_keys[r.ordinal] COLLATE "C", r.ordinal
  LOOP
    ordinal := call.ordinal;
    key_id := call.key_id;
    account_id := call.account_id;
    environment := call.environment;
    scope := call.scope;
    plan := call.plan;
    webhook_admin := call.webhook_admin;
    debt_us := call.debt_us;
    hard_debt_us := call.hard_debt_us;
    SELECT r.reservation, r.work_id INTO reservation, work_id
    FROM access.reserve(account_id, environment, idempotency_keys[ordinal], request_hashes[ordinal], candidate_ids[ordinal],
      lease_ms, keep_ms) AS r;
    RETURN NEXT;
  END LOOP;
END
$$;
