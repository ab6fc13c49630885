-- The gate's statement, one key after the other: what a call costs here is paid by every screening. Before, one query joined,
-- grouped and sorted the batch, and was planned anew for most (docs/performance.md); now a key costs two reads and one write by
-- primary key.

DROP FUNCTION access.admit_calls(text[], bytea[], inet[], text[], text[], bytea[], text[], bigint, bigint, text[], bigint[],
  bigint[], bigint[], bigint[], boolean[]);
DROP FUNCTION access.take_from_bucket(text, timestamptz, bigint, bigint, bigint, bigint, bigint, boolean);
DROP FUNCTION access.take_tokens(bigint, bigint, bigint, bigint, bigint);

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

-- The row of a key that has none, where nobody was faster.
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

-- Judges every call of one moment, by this server's clock: key, expiry, revocation, client address, scope, then the key's
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
        WHEN required_scopes[place] = 'read-write' AND key.scope <> 'read-write' THEN 'scope_required'
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
