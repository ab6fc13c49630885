/** What was done with the keys of an account, for the account itself. */
import { readFileSync } from 'node:fs'
import { topicOf } from '@cupel/contracts'
import { batchWrite, onPartOf, type ReadModel } from '@cupel/projections'

/** An event that went to the outbox after an append without acknowledgement may come twice, with the same words. */
const insertEntry = batchWrite({
  name: 'audit-view.insert',
  columns: {
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
  },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.entry (${columns}) SELECT ${columns} FROM ${rows} ORDER BY ord
     ON CONFLICT (request_id) DO NOTHING`,
})

/** Every call adds an entry and a list of them may lag; at the usual interval they took as many transactions as the reports. */
const COMMIT_INTERVAL_MS = 250

/** What the view keeps of a call. */
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
] as const

export const auditView: ReadModel = {
  name: 'audit-view',
  version: 1,
  schema: 'audit_view',
  topics: [topicOf('ApiRequestAudited', true), topicOf('ApiRequestAudited', false)],
  definition: readFileSync(new URL('./table.sql', import.meta.url), 'utf8'),
  tables: ['entry'],
  commitIntervalMs: COMMIT_INTERVAL_MS,
  reducers: [
    onPartOf('ApiRequestAudited', KEPT, (data) =>
      data.accountId === ''
        ? []
        : insertEntry({
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
          }),
    ),
  ],
}
