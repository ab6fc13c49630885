/** The activated policies, in order. */
import { readFileSync } from 'node:fs'
import { topicOf } from '@cupel/contracts'
import { batchWrite, on, type ReadModel } from '@cupel/projections'

/** Numbered in the order of the log, without gaps; a repeated record is not a new activation. */
const insertActivation = batchWrite({
  name: 'policy-view.insert',
  columns: {
    event_id: 'text',
    policy_id: 'text',
    version: 'int4',
    document: 'document',
    sha256: 'text',
    activated_by: 'text',
    reason: 'text',
    activated_at: 'text',
    log_offset: 'int8',
  },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.activation (policy_seq, ${columns})
     SELECT (SELECT coalesce(max(policy_seq), 0) FROM ${schema}.activation) + row_number() OVER (ORDER BY log_offset), ${columns}
     FROM (SELECT DISTINCT ON (event_id) * FROM ${rows} ORDER BY event_id, ord) AS first
     WHERE NOT EXISTS (SELECT FROM ${schema}.activation known WHERE known.event_id = first.event_id)
     ORDER BY log_offset`,
})

export const policyView: ReadModel = {
  name: 'policy-view',
  version: 1,
  schema: 'policy_view',
  topics: [topicOf('PolicyActivated')],
  definition: readFileSync(new URL('./table.sql', import.meta.url), 'utf8'),
  tables: ['activation'],
  reducers: [
    on('PolicyActivated', ({ data, envelope }, at) =>
      insertActivation({
        event_id: envelope.id,
        policy_id: data.policyId,
        version: data.version,
        document: data.document,
        sha256: data.sha256,
        activated_by: data.activatedBy,
        reason: data.reason,
        activated_at: data.activatedAt,
        log_offset: at.offset,
      }),
    ),
  ],
}
