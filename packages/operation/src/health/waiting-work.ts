/** Work that waits far longer than the service that does it ever needs: nobody does it, whatever the checks of the services say. */
import { installationTopics, type EventLog, type TopicFault } from '@cupel/event-log'
import { listProcesses } from '@cupel/projections/heartbeats'
import type { Database } from '@cupel/postgres'

/** What waits, as a sentence, and the remedy. */
export interface Waiting {
  readonly part: 'screens' | 'webhooks' | 'lists' | 'clocks' | 'brokers'
  readonly detail: string
  readonly remedy: string
}

/** A scorer decides a screen that nobody waits for any more within seconds. */
const SCREEN_MINUTES = 5
/** A receiver that fails gets a break of minutes. */
const WEBHOOK_MINUTES = 60
/** Lists that were sent are read one after another, the largest in minutes. */
const LIST_MINUTES = 30
/** A heartbeat states the difference with the time of a statement, which a busy machine makes long. */
const MAX_SKEW_MS = 2_000

export async function readWaiting({
  database,
}: {
  readonly database: Database
}): Promise<readonly Waiting[]> {
  return (await Promise.all([waitingRows(database), wrongClocks(database)])).flat()
}

interface Rows extends Record<string, unknown> {
  readonly part: 'screens' | 'webhooks' | 'lists'
  readonly waiting: number
  readonly minutes: number
}

/** Each index holds only what waits. */
const WAITING = `
  SELECT part, count(*)::int4 AS waiting, (extract(epoch FROM now() - min(since)) / 60)::int4 AS minutes FROM (
    SELECT 'screens' AS part, p.noted_at AS since FROM access.pending_screen p
    WHERE p.noted_at < now() - interval '${SCREEN_MINUTES} minutes'
      AND NOT EXISTS (SELECT FROM report_view.report r WHERE r.report_id = p.report_id)
    UNION ALL
    SELECT 'webhooks', d.due_at FROM webhooks.delivery d JOIN webhooks.endpoint e USING (endpoint_id)
    WHERE d.status = 'pending' AND d.body_id IS NOT NULL AND d.due_at < now() - interval '${WEBHOOK_MINUTES} minutes'
      AND e.status = 'enabled' AND (e.proven_at IS NOT NULL OR d.type = 'endpoint.test')
    UNION ALL
    SELECT 'lists', o.changed_at FROM labels.list_order o
    WHERE o.status IN ('checking', 'importing') AND o.changed_at < now() - interval '${LIST_MINUTES} minutes'
      AND (o.leased_until IS NULL OR o.leased_until < now())) due
  GROUP BY part ORDER BY part`

const told: Readonly<Record<Rows['part'], (rows: Rows) => Omit<Waiting, 'part'>>> = {
  screens: ({ waiting, minutes }) => ({
    detail: `${waiting} screens that callers were promised have had no report for up to ${minutes} minutes: no scorer decides them.`,
    remedy: 'docs/runbooks/screens-are-slow.md',
  }),
  webhooks: ({ waiting, minutes }) => ({
    detail: `${waiting} webhooks are due for up to ${minutes} minutes, and no dispatcher sends them.`,
    remedy: 'docs/runbooks/a-receiver-is-dead.md',
  }),
  lists: ({ waiting, minutes }) => ({
    detail: `${waiting} lists that operators sent wait for up to ${minutes} minutes, and nobody reads them.`,
    remedy: 'Start the label refresher, or read its log.',
  }),
}

async function waitingRows(database: Database): Promise<Waiting[]> {
  const rows = await database.query<Rows>(WAITING)
  return rows.map((row) => ({ part: row.part, ...told[row.part](row) }))
}

async function wrongClocks(database: Database): Promise<Waiting[]> {
  const off = (await listProcesses(database)).filter(
    ({ isSeen, skewMs }) => isSeen && Math.abs(skewMs) > MAX_SKEW_MS,
  )
  return off.map(({ service, instance, host, skewMs }) => ({
    part: 'clocks',
    detail: `The clock of ${service}-${instance} on ${host} is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'behind' : 'ahead of'} that of the database.`,
    remedy: 'docs/runbooks/a-clock-is-wrong.md',
  }))
}

/** `cupel doctor` names each topic. Of a topic that cannot be seen nothing is known: that is a fault too. */
export async function readLaggingReplicas({ log }: { readonly log: EventLog }): Promise<readonly Waiting[]> {
  if (log.kind !== 'kafka') return []
  const faults = await log.topicFaults(installationTopics())
  const [unseen, behind] = [
    faults.filter(({ setting }) => setting === 'topic'),
    faults.filter(({ isPassing }) => isPassing),
  ]
  const told = (topics: readonly TopicFault[], say: (first: string) => Omit<Waiting, 'part'>): Waiting[] =>
    topics.slice(0, 1).map(({ topic }) => ({ part: 'brokers', ...say(topic) }))
  return [
    ...told(unseen, (first) => ({
      detail: `${unseen.length} topics do not exist, or this user may not see them, as ${first}: nothing is known of their replicas.`,
      remedy: 'Run `cupel doctor` as an operator.',
    })),
    ...told(behind, (first) => ({
      detail: `${behind.length} topics have replicas that are not in step, as ${first}: a broker is down or behind.`,
      remedy: 'Start the broker that is down, or read its log.',
    })),
  ]
}
