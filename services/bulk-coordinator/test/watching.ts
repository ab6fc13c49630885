/** Helpers for tests of watches, besides a coordinator: watches, lists, and the reports that a projector would have stored. */
import { defaultPolicy, parseAddress, type PolicyDocument } from '@cupel/domain'
import { createWatches, newBatchId } from '@cupel/watches'
import type { Installation } from './installation.js'

export const SOURCE = 'list'

export interface MadeWatch {
  readonly watchId: string
}

const CALL = {
  ...{
    requestId: 'request',
    keyId: 'key',
    scope: 'read-write',
    clientAddress: '203.0.113.9',
    method: 'POST',
  },
  ...{ route: '/v1/watches', status: 201, at: '2026-11-21T09:00:00.000Z', actor: '' },
}

/** A text that is no address stands for one on ETH. */
function parsed(address: string): { readonly chain: string; readonly lookupKey: string } {
  const found = parseAddress(address)
  return found.ok ? found : { chain: 'ETH', lookupKey: `evm:${address}` }
}

/** Ids of the watches, in the order of the addresses. */
export async function watch(
  { database }: Pick<Installation, 'database'>,
  addresses: readonly string[],
  {
    accountId = 'acc_1',
    livemode = true,
    chain = 'ETH',
    candidateChains = [] as readonly string[],
    thresholdHundredths = 1_000,
    digest = false,
  } = {},
): Promise<string[]> {
  const result = await createWatches(database, {
    ...{ accountId, livemode, keyId: 'key', person: '', call: CALL, batchId: newBatchId() },
    maxWatches: 100_000,
    reportPageUrl: 'https://cupel.example.com/reports/',
    watches: addresses.map((address) => ({
      ...{
        address,
        canonicalAddress: address,
        chain,
        candidateChains,
        lookupKey: parsed(address).lookupKey,
      },
      ...{ reference: `of ${address}`, until: null, thresholdHundredths, digest },
    })),
  })
  if (!result.ok) throw new Error(result.code)
  return result.watches.map(({ watchId }) => watchId)
}

export interface Publication {
  readonly source?: string
  readonly added?: readonly string[]
  readonly retired?: readonly string[]
  readonly whole?: boolean
  readonly kind?: string
  readonly asOf?: string
  readonly category?: string
  /** Origin of the authority whose own list this is. */
  readonly origin?: string
}

let published = 0

/** A publication as the label view holds it. */
export async function publish(
  { database }: Pick<Installation, 'database'>,
  publication: Publication = {},
): Promise<void> {
  const { source = SOURCE, added = [], retired = [], whole = true, kind = 'published' } = publication
  const { category = 'sanctions' } = publication
  const importId = `import ${(published += 1)}`
  await database.transaction({ at: 'test' }, async (transaction) => {
    for (const address of added)
      await transaction.execute(
        `INSERT INTO label_view.label (import_id, label_id, source, dataset, chain, address, canonical_address, lookup_key,
           category, subcategory, role, entity, origin, kind, confidence_ppm, source_url, log_offset)
         VALUES ($1, $2, $3, 'set', $5, $2, $2, $4, $6, '', 'owner', '', 'origin', 'designation', 1000000, '', 0)`,
        [importId, address, source, parsed(address).lookupKey, parsed(address).chain, category],
      )
    for (const address of retired)
      await transaction.execute(
        `INSERT INTO label_view.retirement (label_id, import_id, valid_to, log_offset) VALUES ($1, $2, '', 0)`,
        [address, importId],
      )
    await transaction.execute(
      `INSERT INTO label_view.publication (label_set_seq, import_id, kind, source, dataset, sha256, as_of, published_at, historical,
         appended, authority_origin, whole, replaces, list, version_of, rows, based_on_seq, lost_designations, total, added, unchanged, retired, refused,
         imported_by, refresh_configured, visible, stale_base, log_offset)
       SELECT coalesce(max(label_set_seq), 0) + 1, $1, $2, $3, 'set', '', $4, '', false, false, $6, $5, '[]', '', '[]',
         '{"read":7,"refused":0,"skipped":0,"unreadable":0,"accepted":0}', 0, 0, 7, 0, 0, 0,
         0, '', false, 7, false, 0 FROM label_view.publication`,
      [importId, kind, source, publication.asOf ?? null, whole, publication.origin ?? 'origin'],
    )
  })
}

/** An imported file of the chain's ledger, or what a provider told of one address. */
export async function segment(
  { database }: Pick<Installation, 'database'>,
  chain: string,
  historyAddress: string | null = null,
): Promise<void> {
  await database.execute(
    `INSERT INTO ledger.segment (ledger_seq, chain, format, file_name, sha256, covers, replaces, asset_table_version, imported_by, history_address)
     SELECT coalesce(max(ledger_seq), 0) + 1, $1, 'f', 'f', md5(random()::text), '{}', false, '1', '', $2 FROM ledger.segment`,
    [chain, historyAddress],
  )
}

export async function activatePolicy(
  { database }: Pick<Installation, 'database'>,
  document: PolicyDocument = defaultPolicy,
): Promise<void> {
  await database.execute(
    `INSERT INTO policy_view.activation (policy_seq, policy_id, version, document, sha256, activated_by, reason, activated_at, event_id, log_offset)
     SELECT coalesce(max(policy_seq), 0) + 1, 'p', 1, $1, '', '', '', '', gen_random_uuid()::text, 0 FROM policy_view.activation`,
    [JSON.stringify(document)],
  )
}

/** Stores the report, or the failure, of every screening of a watch that has none. */
export async function report(
  { database }: Pick<Installation, 'database'>,
  decide: (
    address: string,
  ) => { level: string; score: number; stage?: 'chain_data' | 'exposure' | 'clusters' } | 'failed',
): Promise<number> {
  const pending = await database.query<{ id: string; account: string; livemode: boolean; address: string }>(
    `SELECT w.pending_report_id AS id, w.account_id AS account, w.livemode, w.address FROM watches.watch w
     WHERE w.pending_report_id IS NOT NULL
       AND NOT EXISTS (SELECT FROM report_view.report r WHERE r.report_id = w.pending_report_id)`,
  )
  for (const { id, account, livemode, address } of pending) {
    const decision = decide(address)
    const { level, score } = decision === 'failed' ? { level: null, score: null } : decision
    const stage = decision === 'failed' ? undefined : decision.stage
    const missing = stage === undefined ? {} : { missing_stages: [stage] }
    const risk = { level, score, level_reasons: level === 'grey' ? ['shortfall'] : [], evidence: [] }
    const coverage = { labels: { status: 'partial' }, exposure: { reason: null }, ...missing }
    const document = JSON.stringify({ risk, coverage })
    await database.execute(
      `INSERT INTO report_view.report (report_id, account_id, livemode, state, address, canonical_address, chain, level, score,
         document, ended_at, log_partition, log_offset)
       VALUES ($1, $2, $3, $4, $5, $5, 'ETH', $6, $7, $8, now(), 0, 0)
       ON CONFLICT DO NOTHING`,
      [
        id,
        account,
        livemode,
        decision === 'failed' ? 'failed' : 'generated',
        address,
        level,
        score,
        document,
      ],
    )
  }
  return pending.length
}

export interface ToldChange {
  readonly id: string
  readonly data: Record<string, unknown>
}

/** Returns every ReportChanged of the outbox. */
export async function changes({ database }: Pick<Installation, 'database'>): Promise<ToldChange[]> {
  const rows = await database.query<{
    event: { type: string; envelope: { id: string }; data: Record<string, unknown> }
  }>('SELECT event FROM projection.outbox ORDER BY seq')
  return rows.flatMap(({ event }) =>
    event.type === 'ReportChanged' ? [{ id: event.envelope.id, data: event.data }] : [],
  )
}

/** Returns what was told of watches that keep failing. */
export async function failures({ database }: Pick<Installation, 'database'>): Promise<readonly object[]> {
  const rows = await database.query<{ data: object }>(
    `SELECT event -> 'data' AS data FROM projection.outbox WHERE event ->> 'type' = 'WatchFailed' ORDER BY event #>> '{data,address}'`,
  )
  return rows.map(({ data }) => data)
}

/** Returns the watches that wait for a new decision, by their addresses. */
export async function due({ database }: Pick<Installation, 'database'>): Promise<string[]> {
  const rows = await database.query<{ address: string }>(
    'SELECT address FROM watches.watch WHERE due_at IS NOT NULL ORDER BY address',
  )
  return rows.map(({ address }) => address)
}

/** Marks every watch as decided. */
export async function settleAll(
  { database }: Pick<Installation, 'database'>,
  level = 'green',
): Promise<void> {
  await database.execute(
    `UPDATE watches.watch SET due_at = NULL, causes = '{}', report_id = watch_id, level = $1, score = 0, reported_at = now(),
       told_report_id = watch_id, told_level = $1, told_score = 0,
       digest_report_id = watch_id, digest_level = $1, digest_score = 0`,
    [level],
  )
}
