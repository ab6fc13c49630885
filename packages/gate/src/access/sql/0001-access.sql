-- Primary tables of access: they change in one transaction with an outbox row, and they are backed up.
CREATE SCHEMA IF NOT EXISTS access;

-- One row: the secret from which this installation derives its keys. Two random UUIDs hold 244 random bits.
CREATE TABLE access.installation_secret (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  secret bytea NOT NULL CHECK (octet_length(secret) = 32),
  created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO access.installation_secret (secret)
VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

-- The lowest report number that is not used yet. A row instead of a sequence: after a crash of the server a sequence may
-- return a number for the second time; a committed row cannot.
CREATE TABLE access.report_number (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  next bigint NOT NULL CHECK (next >= 0),
  -- Partitions of the report topics, which the last two digits of report ids name: recorded when the topics are made, and never changed
  -- then. Null: not recorded, as if the topics have the number of a local installation.
  partitions int CHECK (partitions BETWEEN 2 AND 256 AND partitions & (partitions - 1) = 0)
);
INSERT INTO access.report_number (next) VALUES (0);

CREATE TABLE access.account (
  account_id text PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  -- False: no address that the account screens is sent to a provider of chain data or histories.
  asks_providers boolean NOT NULL DEFAULT true
);

CREATE TABLE access.api_key (
  key_id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES access.account,
  environment text NOT NULL CHECK (environment IN ('live', 'test')),
  -- SHA-256 of the whole key: the key itself is shown once and kept nowhere.
  key_hash bytea NOT NULL CHECK (octet_length(key_hash) = 32),
  scope text NOT NULL CHECK (scope IN ('read-only', 'read-write', 'admin', 'operator')),
  plan text NOT NULL,
  name text NOT NULL,
  -- Empty: usable from anywhere. IPv4-mapped ranges are stored as IPv4.
  allowed_ips cidr[] NOT NULL,
  webhook_admin boolean NOT NULL,
  rotated_from text REFERENCES access.api_key,
  issued_at timestamptz NOT NULL,
  issued_by text NOT NULL,
  expires_at timestamptz,
  -- May lie ahead: a rotated key works until its overlap ends.
  revoked_at timestamptz
);
CREATE INDEX api_key_account ON access.api_key (account_id, issued_at);

-- Changes that one person proposes and another one confirms or refuses. Texts of persons are sealed, as the events have them.
CREATE TABLE access.proposed_change (
  change_id text COLLATE "C" PRIMARY KEY,
  -- The account and environment that it changes; those of the proposer if all accounts share what it changes.
  account_id text NOT NULL,
  livemode boolean NOT NULL,
  kind text NOT NULL,
  -- JSON in the fields of its kind.
  change text NOT NULL,
  based_on text NOT NULL,
  reason text NOT NULL,
  proposed_by text NOT NULL,
  holder text NOT NULL,
  actor text NOT NULL,
  subject text NOT NULL,
  proposed_at timestamptz NOT NULL,
  proposer_account_id text NOT NULL,
  -- Null while nobody decided.
  decision text,
  decided_by text,
  decider text,
  decider_account_id text,
  decided_at timestamptz,
  CHECK (num_nulls(decision, decided_by, decider, decider_account_id, decided_at) IN (0, 5))
);
CREATE INDEX proposed_change_age ON access.proposed_change (proposed_at, change_id);
CREATE INDEX proposed_change_open ON access.proposed_change (proposed_at, change_id) WHERE decision IS NULL;
CREATE INDEX proposed_change_kind ON access.proposed_change (kind, proposed_at, change_id);
CREATE INDEX proposed_change_account ON access.proposed_change (account_id, livemode, proposed_at, change_id);
CREATE INDEX proposed_change_proposer ON access.proposed_change (proposer_account_id, proposed_at);

-- Report ids returned in a 503 before their report existed, so that a later read is answered "pending" and not "unknown".
CREATE TABLE access.pending_screen (
  report_id text PRIMARY KEY,
  account_id text NOT NULL,
  livemode boolean NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX pending_screen_age ON access.pending_screen (noted_at);

-- Token buckets, one row per key that was used. Unlogged: a row changes with every call, and a bucket that is lost in a
-- crash of the server starts empty (access.bucket_epoch). A logged table would cost a WAL flush per batch of calls.
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

-- Failed authentications of the last minute, from all instances, so that a client has one count in the installation. Unlogged:
-- a crash loses a minute of counts at most.
CREATE UNLOGGED TABLE access.auth_failure (
  -- An IPv4 address or an IPv6 /64.
  client text COLLATE "C" NOT NULL,
  failed_at timestamptz NOT NULL
);
CREATE INDEX auth_failure_age ON access.auth_failure (failed_at);

-- Stores failures that happened `ages_ms` ago; returns the clients beyond the limit, and for how long they stay so. Each call
-- deletes old rows and skips those that another instance is deleting.
CREATE FUNCTION access.share_failures(clients text[], ages_ms bigint[], max_per_window int, window_ms bigint, max_rows int)
RETURNS TABLE (client text, blocked_ms bigint) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  now_at timestamptz := clock_timestamp();
  window_start timestamptz := now_at - window_ms * interval '1 millisecond';
BEGIN
  DELETE FROM access.auth_failure WHERE ctid = ANY (ARRAY(
    SELECT f.ctid FROM access.auth_failure AS f WHERE f.failed_at <= window_start LIMIT max_rows FOR UPDATE SKIP LOCKED));
  INSERT INTO access.auth_failure (client, failed_at)
  SELECT shared.client, now_at - shared.age_ms * interval '1 millisecond' FROM unnest(clients, ages_ms) AS shared (client, age_ms);
  RETURN QUERY
    SELECT f.client,
      ceil(extract(epoch FROM (array_agg(f.failed_at ORDER BY f.failed_at DESC))[max_per_window] - window_start) * 1000)::bigint
    FROM access.auth_failure AS f WHERE f.failed_at > window_start
    GROUP BY f.client HAVING count(*) >= max_per_window LIMIT max_rows;
END
$$;

-- The arithmetic of packages/domain/src/access/token-bucket.ts on the same integers. Single expressions, which become part of
-- the expression that calls them. settled_us: when the bucket will be full again, as of now; a clock that was set back leaves
-- it empty, not in debt.
CREATE FUNCTION access.settled_us(full_at_us bigint, now_us bigint, interval_us bigint, depth bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN least(greatest(full_at_us, now_us), now_us + depth * interval_us);

-- Whole tokens in a bucket that is settled.
CREATE FUNCTION access.available_tokens(settled_us bigint, now_us bigint, interval_us bigint, depth bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (now_us + depth * interval_us - settled_us) / interval_us;

-- Inserts the bucket of a key that has none, unless another call inserts it first.
CREATE FUNCTION access.open_bucket(of_key_id text, issued_at timestamptz, whole_us bigint, is_fair_use boolean) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  epoch timestamptz;
BEGIN
  SELECT since INTO epoch FROM access.bucket_epoch;
  IF NOT FOUND THEN
    epoch := clock_timestamp();
    INSERT INTO access.bucket_epoch (since) VALUES (epoch) ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO access.bucket (key_id, full_at_us, hard_full_at_us) VALUES (
    of_key_id,
    -- Fair use promises no exact figure, so that it starts full.
    CASE WHEN issued_at >= epoch OR is_fair_use THEN 0 ELSE (extract(epoch FROM epoch) * 1000000)::bigint + whole_us END,
    0
  ) ON CONFLICT DO NOTHING;
END
$$;

CREATE FUNCTION access.now_us() RETURNS bigint LANGUAGE sql VOLATILE
RETURN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

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

-- Judges a batch of calls by this server's clock, one key after the other (docs/performance.md): key, expiry, revocation, client address, scope, then the key's
-- bucket, then the Idempotency-Key. Each rule is reached only by calls that pass those before it, so that 401 and 403 take no
-- token and a 429 reserves nothing. The calls come in order of their keys, those of one key in the order they came. Rows are
-- locked in one order, buckets by key, then Idempotency-Keys, so that batches of several instances cannot wait for each other
-- in a circle. One row per call, in no particular order.
CREATE FUNCTION access.admit_calls(
  key_ids text[], key_hashes bytea[], client_addresses inet[], required_scopes text[],
  idempotency_keys text[], request_hashes bytea[], candidate_ids text[], lease_ms bigint, keep_ms bigint,
  plan_names text[], intervals_us bigint[], depths bigint[], hard_intervals_us bigint[], hard_depths bigint[], fair_uses boolean[]
) RETURNS TABLE (
  ordinal int, outcome text, key_id text, account_id text, environment text, scope text, plan text, webhook_admin boolean,
  debt_us bigint, hard_debt_us bigint, reservation text, work_id text
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  -- Each holds those before it (packages/domain/src/access/plans.ts). An unknown scope holds nothing, and nothing holds it.
  scopes_in_order constant text[] := ARRAY['read-only', 'read-write', 'admin', 'operator'];
  key record;
  call record;
  first_call int := 1;
  next_call int;
  figures int;
  interval_us bigint;
  hard_interval_us bigint;
  whole_us bigint;
  is_fair_use boolean;
  -- Of the bucket, once its row is held: the clock it is judged by, when it will be full, and how many calls it may admit.
  at_us bigint;
  full_us bigint;
  hard_full_us bigint;
  available bigint;
  admissible bigint;
  admitted bigint;
  reserving jsonb;
BEGIN
  WHILE first_call <= cardinality(key_ids) LOOP
    next_call := first_call + 1;
    WHILE key_ids[next_call] = key_ids[first_call] LOOP
      next_call := next_call + 1;
    END LOOP;
    IF key_ids[next_call] COLLATE "C" < key_ids[first_call] THEN
      RAISE EXCEPTION 'The calls are not in order of their keys: % comes before %', key_ids[first_call], key_ids[next_call];
    END IF;

    SELECT k.*, u.last_used_at INTO key
    FROM access.api_key AS k LEFT JOIN access.key_usage AS u ON u.key_id = k.key_id
    WHERE k.key_id = key_ids[first_call];
    at_us := NULL;
    admitted := 0;

    FOR place IN first_call .. next_call - 1 LOOP
      ordinal := place;
      reservation := NULL;
      work_id := NULL;
      debt_us := NULL;
      hard_debt_us := NULL;
      -- A key that does not match its hash is as unknown as one that never existed.
      IF (key.key_hash = key_hashes[place]) IS NOT TRUE THEN
        outcome := 'unknown_key';
        key_id := NULL;
        account_id := NULL;
        environment := NULL;
        scope := NULL;
        plan := NULL;
        webhook_admin := NULL;
        RETURN NEXT;
        CONTINUE;
      END IF;
      key_id := key.key_id;
      account_id := key.account_id;
      environment := key.environment;
      scope := key.scope;
      plan := key.plan;
      webhook_admin := key.webhook_admin;
      outcome := CASE
        WHEN key.revoked_at <= statement_timestamp() THEN 'revoked_key'
        WHEN key.expires_at <= statement_timestamp() THEN 'expired_key'
        WHEN cardinality(key.allowed_ips) > 0 AND (client_addresses[place] <<= ANY (key.allowed_ips)) IS NOT TRUE
          THEN 'ip_not_allowed'
        WHEN (array_position(scopes_in_order, key.scope) >= array_position(scopes_in_order, required_scopes[place])) IS NOT TRUE
          THEN 'scope_required'
        ELSE 'admitted'
      END;

      IF outcome = 'scope_required' THEN
        -- A valid key is told how it stands, without a token taken or a row held.
        IF at_us IS NULL THEN
          SELECT greatest(0, b.full_at_us - access.now_us()) INTO debt_us FROM access.bucket AS b WHERE b.key_id = key.key_id;
          debt_us := coalesce(debt_us, 0);
        ELSE
          debt_us := least(full_us - at_us + admitted * interval_us, whole_us);
        END IF;
      END IF;
      IF outcome <> 'admitted' THEN
        RETURN NEXT;
        CONTINUE;
      END IF;

      IF at_us IS NULL THEN
        figures := array_position(plan_names, key.plan);
        IF figures IS NULL THEN
          RAISE EXCEPTION 'Key % is of the plan %, whose figures were not given', key.key_id, key.plan;
        END IF;
        interval_us := intervals_us[figures];
        hard_interval_us := hard_intervals_us[figures];
        whole_us := depths[figures] * interval_us;
        is_fair_use := fair_uses[figures];
        LOOP
          SELECT b.full_at_us, b.hard_full_at_us INTO full_us, hard_full_us
          FROM access.bucket AS b WHERE b.key_id = key.key_id FOR UPDATE;
          EXIT WHEN FOUND;
          PERFORM access.open_bucket(key.key_id, key.issued_at, whole_us, is_fair_use);
        END LOOP;
        -- Read after the row is held: a call judged later is judged by a later clock.
        at_us := access.now_us();
        full_us := access.settled_us(full_us, at_us, interval_us, depths[figures]);
        hard_full_us := access.settled_us(hard_full_us, at_us, hard_interval_us, hard_depths[figures]);
        available := access.available_tokens(full_us, at_us, interval_us, depths[figures]);
        admissible := CASE
          WHEN is_fair_use THEN access.available_tokens(hard_full_us, at_us, hard_interval_us, hard_depths[figures])
          ELSE available
        END;
      END IF;

      IF admitted < admissible THEN
        admitted := admitted + 1;
      ELSE
        outcome := 'rate_limited';
      END IF;
      debt_us := least(full_us - at_us + admitted * interval_us, whole_us);
      hard_debt_us := hard_full_us - at_us + admitted * hard_interval_us;
      IF outcome = 'admitted' AND idempotency_keys[place] IS NOT NULL THEN
        reserving := coalesce(reserving, '[]') || jsonb_build_object(
          'ordinal', ordinal, 'key_id', key_id, 'account_id', account_id, 'environment', environment, 'scope', scope,
          'plan', plan, 'webhook_admin', webhook_admin, 'debt_us', debt_us, 'hard_debt_us', hard_debt_us);
      ELSE
        RETURN NEXT;
      END IF;
    END LOOP;

    -- Nothing changes where nothing was left: a refused call writes nothing.
    IF admitted > 0 THEN
      UPDATE access.bucket AS b SET
        full_at_us = full_us + least(admitted, available) * interval_us,
        hard_full_at_us = CASE WHEN is_fair_use THEN hard_full_us + admitted * hard_interval_us
          ELSE b.hard_full_at_us END
      WHERE b.key_id = key.key_id;
      -- Written while the bucket's row is held, so that two batches never race for it.
      IF key.last_used_at IS NULL OR key.last_used_at <= clock_timestamp() - interval '1 minute' THEN
        INSERT INTO access.key_usage AS u (key_id, last_used_at) VALUES (key.key_id, clock_timestamp())
        ON CONFLICT ON CONSTRAINT key_usage_pkey DO UPDATE SET last_used_at = EXCLUDED.last_used_at
        WHERE u.last_used_at <= EXCLUDED.last_used_at - interval '1 minute';
      END IF;
    END IF;
    first_call := next_call;
  END LOOP;
  IF reserving IS NULL THEN
    RETURN;
  END IF;

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

-- Sessions of people, who signed in with a key. A session stands for its key: every call with it is judged as a call with that
-- key. Sessions are worth a new sign-in, so they make no events; the calls that begin and end them are in the audit log.
CREATE TABLE access.session (
  session_id text COLLATE "C" PRIMARY KEY,
  -- SHA-256 of the whole token: the token itself is shown once and kept nowhere.
  token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
  key_id text COLLATE "C" NOT NULL REFERENCES access.api_key ON DELETE CASCADE,
  -- Who signed in, where a sign-in service said so; empty for whoever holds the key.
  actor text NOT NULL,
  begun_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- When a call with the session was last judged, correct to a minute.
  used_at timestamptz NOT NULL,
  -- The name of the person that never changes, as a sign-in service states it; empty for whoever holds the key.
  subject text NOT NULL DEFAULT ''
);
CREATE INDEX session_key ON access.session (key_id, begun_at);
CREATE INDEX session_expiry ON access.session (expires_at);

-- ID tokens that began a session or were refused one: each counts once. They are forgotten once their time refuses them anyway.
CREATE TABLE access.spent_id_token (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  useless_from timestamptz NOT NULL
);
CREATE INDEX spent_id_token_age ON access.spent_id_token (useless_from);

-- The keys that sessions stand for, by this server's clock. A session that does not match its hash, has ended or was not used for
-- `idle_ms` is unknown. One row per session that is known.
CREATE FUNCTION access.resolve_sessions(session_ids text[], token_hashes bytea[], idle_ms bigint)
RETURNS TABLE (ordinal int, key_id text, key_hash bytea, actor text, expires_at timestamptz, subject text) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  now_at timestamptz := clock_timestamp();
BEGIN
  -- Rows that another statement is changing are left to it: it moves them to the same minute.
  UPDATE access.session AS s SET used_at = now_at
  WHERE s.session_id = ANY (ARRAY(
    SELECT one.session_id
    FROM unnest(session_ids, token_hashes) AS asked (session_id, token_hash)
    JOIN access.session AS one ON one.session_id = asked.session_id AND one.token_hash = asked.token_hash
    WHERE one.expires_at > now_at AND one.used_at > now_at - idle_ms * interval '1 millisecond'
      AND one.used_at <= now_at - interval '1 minute'
    FOR UPDATE OF one SKIP LOCKED));
  RETURN QUERY
    SELECT asked.place::int, k.key_id, k.key_hash, s.actor, s.expires_at, s.subject
    FROM unnest(session_ids, token_hashes) WITH ORDINALITY AS asked (session_id, token_hash, place)
    JOIN access.session AS s ON s.session_id = asked.session_id AND s.token_hash = asked.token_hash
    JOIN access.api_key AS k ON k.key_id = s.key_id
    WHERE s.expires_at > now_at AND s.used_at > now_at - idle_ms * interval '1 millisecond';
END
$$;

-- Jobs that were admitted, so that what an account has open is counted before its job is in any read model. Rows of jobs that have
-- ended are deleted where they would refuse another one.
CREATE TABLE access.open_job (
  job_id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  livemode boolean NOT NULL,
  items int NOT NULL,
  admitted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX open_job_account ON access.open_job (account_id, livemode);

-- Admits a job unless the account would then have more open jobs or waiting items than it may. Calls for one account take turns,
-- whichever instance they come from. A job that was admitted before is not counted again.
CREATE FUNCTION access.admit_job(asked_job text, asked_account text, asked_livemode boolean, asked_items int,
  max_jobs int, max_items int)
RETURNS TABLE (is_admitted boolean, open_jobs int, waiting_items int) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('cupel.open-job ' || asked_livemode || ' ' || asked_account, 0));
  SELECT count(*)::int, coalesce(sum(j.items), 0)::int INTO open_jobs, waiting_items
  FROM access.open_job AS j
  WHERE j.account_id = asked_account AND j.livemode = asked_livemode AND j.job_id <> asked_job;
  is_admitted := open_jobs < max_jobs AND waiting_items + asked_items <= max_items;
  IF is_admitted THEN
    INSERT INTO access.open_job (job_id, account_id, livemode, items)
    VALUES (asked_job, asked_account, asked_livemode, asked_items) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NEXT;
END
$$;
