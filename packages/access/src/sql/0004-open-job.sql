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
