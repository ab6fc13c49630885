-- An endpoint proves itself: its receiver accepts a test message before it is sent the results of jobs.
ALTER TABLE webhooks.endpoint ADD COLUMN proven_at timestamptz;

-- Receivers that have accepted a message before.
UPDATE webhooks.endpoint e SET proven_at = d.proven_at
FROM (SELECT endpoint_id, min(coalesce(ended_at, created_at)) AS proven_at FROM webhooks.delivery
      WHERE status = 'delivered' GROUP BY endpoint_id) d
WHERE e.endpoint_id = d.endpoint_id;

-- The others are sent a test message by the dispatcher.
UPDATE webhooks.delivery d SET status = 'held', next_attempt_at = NULL
FROM webhooks.endpoint e
WHERE e.endpoint_id = d.endpoint_id AND e.proven_at IS NULL AND d.status = 'pending' AND d.type <> 'endpoint.test';

CREATE INDEX endpoint_unproven ON webhooks.endpoint (endpoint_id) WHERE proven_at IS NULL;
