/** The use of an account's keys, shown to the account. Events of one call may arrive in any order, and more than once. */
import { readFileSync } from 'node:fs'
import { callEvents, callEventTypes, endOf, screenTopic, topicOf, type RecordedCall } from '@cupel/contracts'
import { batchWrite, onPartOf, type ReadModel } from '@cupel/projections'

const COLUMNS = {
  request_id: 'text',
  account_id: 'text',
  livemode: 'bool',
  key_id: 'text',
  scope: 'text',
  client_address: 'text',
  method: 'text',
  route: 'text',
  status: 'int4',
  code: 'text',
  subject_ids: 'text',
  latency_ms: 'float8',
  at: 'timestamptz',
  actor: 'text',
  report_id: 'text',
  is_audited: 'bool',
} as const

const IS_SCREEN = `method = 'POST' AND route IN ('/v1/screen', '/v1/transfers')`

/**
 * Adds the entries that `insert` wrote to the sums of their keys, each once: a repeat writes no entry. An entry that an ApiRequestAudited
 * replaced was a call that succeeded, so only screens and problems differ.
 */
const summed = (schema: string, insert: string): string =>
  `WITH written AS (${insert} RETURNING account_id, livemode, key_id, method, route, status, subject_ids, at, xmax = 0 AS is_new)
   INSERT INTO ${schema}.usage_day AS sum (account_id, livemode, day, key_id, calls, screens, problems, rate_limited)
   SELECT account_id, livemode, (at AT TIME ZONE 'UTC')::date AS day, key_id,
     count(*) FILTER (WHERE is_new),
     count(*) FILTER (WHERE ${IS_SCREEN} AND status < 400 AND subject_ids <> '[]') - count(*) FILTER (WHERE ${IS_SCREEN} AND NOT is_new),
     count(*) FILTER (WHERE status >= 400), count(*) FILTER (WHERE status = 429)
   FROM written GROUP BY account_id, livemode, day, key_id ORDER BY account_id, livemode, day, key_id
   ON CONFLICT (account_id, livemode, day, key_id) DO UPDATE
   SET (calls, screens, problems, rate_limited) = (sum.calls + excluded.calls, sum.screens + excluded.screens,
     sum.problems + excluded.problems, sum.rate_limited + excluded.rate_limited)`

/** A call as its own event records it. An existing row came from the same event, or from an ApiRequestAudited. */
const insertRecorded = batchWrite({
  name: 'audit-view.insert-recorded',
  columns: COLUMNS,
  sql: ({ schema, rows, columns }) =>
    summed(
      schema,
      `INSERT INTO ${schema}.entry (${columns}) SELECT ${columns} FROM ${rows} ORDER BY request_id
       ON CONFLICT (request_id) DO NOTHING`,
    ),
})

const REPLACED = Object.keys(COLUMNS).filter((name) => name !== 'request_id')

/** An event that was written to the outbox after an unacknowledged append may arrive twice, with the same data. */
const upsertAudited = batchWrite({
  name: 'audit-view.upsert-audited',
  columns: COLUMNS,
  sql: ({ schema, rows, columns }) =>
    summed(
      schema,
      `INSERT INTO ${schema}.entry (${columns})
       SELECT DISTINCT ON (request_id) ${columns} FROM ${rows} ORDER BY request_id, ord
       ON CONFLICT (request_id) DO UPDATE
       SET (${REPLACED.join(', ')}) = (${REPLACED.map((name) => `excluded.${name}`).join(', ')})
       WHERE NOT entry.is_audited`,
    ),
})

/** Every call adds an entry, and the list of entries may lag. At the usual interval they took as many transactions as the reports. */
const COMMIT_INTERVAL_MS = 1_000

/** The fields of an ApiRequestAudited that the view stores. */
const KEPT = [
  'requestId',
  'accountId',
  'livemode',
  'keyId',
  'scope',
  'clientAddress',
  'method',
  'route',
  'status',
  'code',
  'subjectIds',
  'latencyMs',
  'at',
  'actor',
] as const

export const auditView: ReadModel = {
  name: 'audit-view',
  version: 1,
  schema: 'audit_view',
  topics: [true, false].flatMap((livemode) => [
    topicOf('ApiRequestAudited', livemode),
    // The topic of a screen is that of the interactive lane. Calls of the bulk lane come from the coordinator, and a screen that was
    // moved there is in the interactive topic too.
    ...new Set(callEventTypes.map((type) => topicOf(type, livemode))),
  ]),
  workTopics: [screenTopic('interactive', true), screenTopic('interactive', false)],
  definition: readFileSync(new URL('./table.sql', import.meta.url), 'utf8'),
  tables: ['entry', 'usage_day'],
  commitIntervalMs: COMMIT_INTERVAL_MS,
  isAside: true,
  reducers: [
    onPartOf('ApiRequestAudited', KEPT, (data) =>
      data.accountId === ''
        ? []
        : upsertAudited({
            request_id: data.requestId,
            account_id: data.accountId,
            livemode: data.livemode,
            key_id: data.keyId,
            scope: data.scope,
            client_address: data.clientAddress,
            method: data.method,
            route: data.route,
            status: data.status,
            code: data.code,
            subject_ids: JSON.stringify(data.subjectIds),
            latency_ms: data.latencyMs,
            at: data.at,
            actor: data.actor,
            report_id: null,
            is_audited: true,
          }),
    ),
    ...callEvents.map(({ type, fields, read }) =>
      onPartOf(type, fields, (data) => {
        const recorded = read(data)
        return recorded === null ? [] : insertRecorded(rowOf(recorded))
      }),
    ),
  ],
}

function rowOf({ call, accountId, livemode, subjectIds, endedAt }: RecordedCall) {
  const end = endedAt === null ? null : endOf(call, { endedAt, isFailed: false })
  return {
    request_id: call.requestId,
    account_id: accountId,
    livemode,
    key_id: call.keyId,
    scope: call.scope,
    client_address: call.clientAddress,
    method: call.method,
    route: call.route,
    status: call.status,
    code: '',
    subject_ids: JSON.stringify(subjectIds),
    latency_ms: end?.latencyMs ?? 0,
    at: call.at,
    actor: call.actor,
    report_id: endedAt === null ? subjectIds[0] : null,
    is_audited: false,
  }
}
