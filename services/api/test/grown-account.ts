/**
 * An account as it stands after years, written by SQL. The first rows are the same at every size, and the rare values are in the oldest
 * row. All other rows have the frequent values, so that a query that looks through them for a rare value reads them all.
 */
import { hash } from 'node:crypto'
import { reportExample, type Report } from '@cupel/contracts'
import { ownerKeysOf } from '@cupel/domain'
import type { TextMacs } from '@cupel/event-log'
import { MAX_OWN_LABELS } from '@cupel/labels'
import type { Database } from '@cupel/postgres'
import { documentMac } from '@cupel/reports/read-model'

export interface Grown {
  readonly accountId: string
  readonly keyId: string
  readonly endpointId: string
  readonly changeId: string
}

const HOT = '0x1111111111111111111111111111111111111111'
const RARE = '0x2222222222222222222222222222222222222222'
const OLDEST_ID = '0100000000000000'
const TRANSFER: NonNullable<Report['transfer']> = {
  ...{
    recommendation: 'reject',
    reasons: [],
    direction: 'incoming',
    own_address: HOT,
    transaction_hash: null,
  },
  ...{
    planned: true,
    asset: { symbol: 'ETH', contract: null, is_known: true },
    amount: '1',
    amount_base_units: '1',
  },
  ...{ value_usd: null, priced_on: null, funds: null, ledger: { status: 'planned', snapshot: null } },
}
const OLDEST = JSON.stringify({ ...reportExample, report_id: OLDEST_ID, transfer: TRANSFER }).replaceAll(
  "'",
  "''",
)
/** The file of the oldest case, as an account without keys stores it. */
const FILE = Buffer.from('The agreement.')
const FILE_TEXT = FILE.toString('base64')
const ownerKeyOf = (address: string): string => ownerKeysOf(address, 'ETH')[0]!
/** In SQL, of the row `i`. */
const idOf = (prefix: string, digits: number): string => `'${prefix}' || lpad(to_hex(i), ${digits}, '0')`
const oldest = (prefix: string, digits: number): string => prefix + '0'.repeat(digits)

/** Values of parameters: rare, frequent and held by nobody; of paths the oldest row. */
export const askedValues = (grown: Grown, month: string): Readonly<Record<string, readonly string[]>> => ({
  report_id: [OLDEST_ID],
  earlier_id: [OLDEST_ID],
  transfer_id: [OLDEST_ID],
  job_id: [oldest('job_', 32)],
  watch_id: [oldest('wat_', 20)],
  endpoint_id: [grown.endpointId],
  delivery_id: ['00000000-0000-0000-0000-000000000000'],
  import_id: [oldest('lio_', 20)],
  label_id: [oldest('lbl_', 20)],
  change_id: [grown.changeId],
  source: ['a list', 'of nobody'],
  dataset: ['frequent', 'of nobody'],
  category: ['scam', 'mixer', 'of nobody'],
  entity: ['frequent', 'rare', 'of nobody'],
  account_id: ['of nobody', 'acc_of_nobody'],
  livemode: ['true', 'false'],
  version: ['1'],
  assignee: ['me', 'nobody', 'of nobody'],
  overdue: ['true'],
  address: [HOT, RARE, '0x3333333333333333333333333333333333333333'],
  chain: ['ETH', 'ARB', 'MATIC'],
  customer_reference: ['frequent', 'rare', 'of nobody'],
  reference: ['frequent', 'rare', 'of nobody'],
  show: ['unread', 'all', 'open'],
  change_kind: ['issue_key', 'activate_policy'],
  kind: ['watch_failed', 'report_changed', 'proposal_waiting'],
  changed_in: [`${month}-01`, `${month}-02`, `${month}-03`],
  key_id: [grown.keyId, 'rare', 'of nobody'],
  route: ['/v1/screen', '/v1/rare', '/v1/of-nobody'],
  subject_id: ['rare', 'of-nobody'],
  client_address: ['192.0.2.1', '192.0.2.2'],
  from: [`${month}-01T00:00:04Z`, '2100-01-01T00:00:00Z'],
  to: [`${month}-01T00:00:04Z`, `${month}-01T00:00:00Z`],
})

/** Adds the rows from `have` to `size`. The row `i` is `i` seconds after the begin of the month. */
export async function grow(
  database: Database,
  { accountId, keyId, endpointId }: Grown,
  month: string,
  { have, size, macs }: { readonly have: number; readonly size: number; readonly macs: TextMacs },
  isGrown: (schema: string) => boolean = () => true,
): Promise<void> {
  const at = `'${month}-01T00:00:00Z'::timestamptz + i * interval '1 second'`
  const own = `'${accountId}', true`
  const rowsOf = (every: number): string =>
    `generate_series(${Math.ceil(have / every)}, ${Math.ceil(size / every) - 1}) AS i`
  const statements = [
    `INSERT INTO access.proposed_change (change_id, account_id, livemode, kind, change, based_on, reason, proposed_by, holder, actor, subject,
       proposed_at, proposer_account_id, decision, decided_by, decider, decider_account_id, decided_at)
     SELECT ${idOf('chg_', 20)}, ${own}, 'issue_key', '{}', '', 'a test', '${keyId}', '${keyId}', '', '', ${at}, '${accountId}',
       'refuse', '${keyId}', '', '${accountId}', ${at} FROM ${rowsOf(1)}`,
    `INSERT INTO report_view.report (report_id, account_id, livemode, state, address, canonical_address, owner_key, chain, level, score,
       recommendation, customer_reference, document, ended_at, log_partition, log_offset)
     SELECT ${idOf('01', 14)}, ${own}, 'generated', a, a, CASE WHEN i = 0 THEN '${ownerKeyOf(RARE)}' ELSE '${ownerKeyOf(HOT)}' END, CASE WHEN i = 0 THEN 'ARB' WHEN i % 2 = 0 THEN 'BSC' ELSE 'ETH' END,
       CASE WHEN i = 0 THEN 'red' WHEN i % 2 = 0 THEN 'green' ELSE 'grey' END, 1,
       CASE WHEN i = 0 THEN 'reject' WHEN i % 2 = 0 THEN 'review' ELSE 'allow' END, CASE WHEN i = 0 THEN 'rare' ELSE 'frequent' END,
       CASE WHEN i = 0 THEN '${OLDEST}' ELSE json_build_object('report_id', ${idOf('01', 14)}, 'address', a)::text END, ${at}, 0, i
     FROM ${rowsOf(1)}, LATERAL (SELECT CASE WHEN i = 0 THEN '${RARE}' ELSE lower('${HOT}') END) AS of (a)`,
    `INSERT INTO case_view.report_case (report_id, account_id, livemode, disposition, decided_version)
     SELECT ${idOf('01', 14)}, ${own}, CASE WHEN i = 1 THEN 'open' ELSE 'cleared' END, 0 FROM ${rowsOf(1)} WHERE i > 0`,
    `INSERT INTO cases.report_case (report_id, account_id, livemode, address, chain, level, score, disposition, version, opened_at, changed_at)
     SELECT ${idOf('01', 14)}, ${own}, '${HOT}', 'ETH', CASE WHEN i = 0 THEN 'red' ELSE 'green' END, 1,
       CASE WHEN i = 0 THEN 'open' ELSE 'cleared' END, 1, ${at}, ${at} FROM ${rowsOf(1)}`,
    `INSERT INTO cases.entry (report_id, version, account_id, livemode, kind, text, made_at, key_id, holder, actor, subject,
       file_name, file_type, file_bytes, file_sha256, content_sha256)
     SELECT ${idOf('01', 14)}, 1, ${own}, CASE WHEN i = 0 THEN 'file_attached' ELSE 'note' END, '', ${at}, '${keyId}', '${keyId}', 'Ann', 'ann',
       file.* FROM ${rowsOf(1)} LEFT JOIN (VALUES ('agreement.txt', 'text/plain', ${FILE.length}, '${hash('sha256', FILE)}', '${hash('sha256', FILE_TEXT)}'))
         AS file ON i = 0`,
    `INSERT INTO cases.file (report_id, version, account_id, livemode, content)
     SELECT ${idOf('01', 14)}, 1, ${own}, '${FILE_TEXT}'::bytea FROM ${rowsOf(1)} WHERE i = 0`,
    `INSERT INTO audit_view.entry (request_id, account_id, livemode, key_id, scope, client_address, method, route, status, code,
       subject_ids, latency_ms, at, actor, report_id, is_audited)
     SELECT ${idOf('02', 14)}, ${own}, CASE WHEN i = 0 THEN 'rare' ELSE '${keyId}' END, 'read-only',
       CASE WHEN i = 0 THEN '192.0.2.2' ELSE '192.0.2.1' END, 'POST', CASE WHEN i = 0 THEN '/v1/rare' ELSE '/v1/screen' END,
       CASE WHEN i = 0 THEN 404 ELSE 200 END, '', CASE WHEN i = 0 THEN '["rare"]' ELSE '["frequent"]' END, 1, ${at}, '',
       CASE WHEN i % 2 = 1 THEN ${idOf('01', 14)} END, i % 2 = 0
     FROM ${rowsOf(1)}`,
    `INSERT INTO audit_view.usage_day SELECT account_id, livemode, (at AT TIME ZONE 'UTC')::date, key_id, count(*), 0, 0, 0
     FROM audit_view.entry GROUP BY 1, 2, 3, 4 ON CONFLICT DO NOTHING`,
    `INSERT INTO job_view.job (job_id, account_id, livemode, submitted_at, items, status, completed, failed, cancelled, cancelled_indices, ended_at)
     SELECT ${idOf('job_', 32)}, ${own}, ${at}, json_build_array(json_build_object('address', '${HOT}', 'report_id', ${idOf('01', 14)})),
       'completed', 1, 0, 0, '[]', ${at} FROM ${rowsOf(1)}`,
    `INSERT INTO watches.watch (watch_id, account_id, livemode, address, canonical_address, chain, candidate_chains, lookup_key,
       report_page_url, threshold_hundredths, created_at, digest_day)
     SELECT ${idOf('wat_', 20)}, ${own}, '${HOT}', ${idOf('0x', 40)}, 'ETH', '["ETH"]', '', 'http://localhost/', 1, ${at},
       CASE WHEN i = 0 THEN '${month}-02' ELSE '${month}-01' END::date FROM ${rowsOf(1)}`,
    `INSERT INTO inbox_view.inbox_entry (account_id, livemode, source, entry_id, kind, version, is_shown, at, report_id, level, document)
     SELECT ${own}, ${idOf('', 32)}, ${idOf('', 32)}, CASE WHEN i = 0 THEN 'watch_failed' ELSE 'report_changed' END, 0, true, ${at},
       ${idOf('01', 14)}, CASE WHEN i = 0 THEN 'red' ELSE 'grey' END, '{"address":"${HOT}","chain":"ETH"}' FROM ${rowsOf(1)}`,
    `INSERT INTO watches.read_entry (account_id, livemode, reader, entry_id)
     SELECT ${own}, '${keyId}', ${idOf('', 32)} FROM ${rowsOf(1)} WHERE i > 0`,
    `INSERT INTO webhooks.delivery (delivery_id, webhook_id, endpoint_id, account_id, livemode, type, payload, status, due_at, created_at)
     SELECT ${idOf('00000000-0000-0000-0000-', 12)}, ${idOf('whm_', 20)}, '${endpointId}', ${own}, 'report.changed', 'thin',
       CASE WHEN i = 0 THEN 'exhausted' ELSE 'delivered' END, ${at}, ${at} FROM ${rowsOf(1)}`,
    `INSERT INTO labels.list_order (order_id, ordered_by, ordered_at, request, status)
     SELECT ${idOf('lio_', 20)}, '', ${at}, '{"format":"csv","set":"mine"}', 'imported' FROM ${rowsOf(1)}`,
    `INSERT INTO labels.own_label (label_id, account_id, livemode, decision, category, chain, address, canonical_address, lookup_keys, reason,
       stated_at, stated_by, actor)
     SELECT ${idOf('lbl_', 20)}, ${own}, 'block', 'scam', 'ETH', a, a, ARRAY['evm:' || a], '', ${at}, '', ''
     FROM ${rowsOf(1)}, LATERAL (SELECT CASE WHEN i = 0 THEN '${RARE}' ELSE ${idOf('0x', 40)} END) AS of (a) WHERE i < ${MAX_OWN_LABELS}`,
    `INSERT INTO label_view.label (import_id, label_id, source, dataset, chain, address, canonical_address, lookup_key, category, subcategory,
       role, entity, origin, kind, confidence_ppm, source_url, log_offset)
     SELECT 'an import', ${idOf('l', 20)}, 'a list', 'frequent', 'ETH', a, a, 'evm:' || a, CASE WHEN i = 0 THEN 'mixer' ELSE 'scam' END, '',
       'owner', CASE WHEN i = 0 THEN 'Rare' ELSE 'Frequent' END, 'a list', 'crowd', 400000, '', i
     FROM ${rowsOf(1)}, LATERAL (SELECT CASE WHEN i = 0 THEN '${RARE}' ELSE ${idOf('0x', 40)} END) AS of (a)`,
    `INSERT INTO sharing.share (share_id, token_digest, report_id, account_id, livemode, label, created_at, created_by, actor, expires_at, revoked_at, revoked_by)
     SELECT ${idOf('shr_', 20)}, sha256((${idOf('shr_', 20)})::bytea), '${OLDEST_ID}', ${own}, '', ${at}, '', '', ${at}, ${at}, '' FROM ${rowsOf(1)}`,
  ]
  for (const statement of statements) {
    const table = /INSERT INTO (\S+)/.exec(statement)![1]!
    if (!isGrown(table.split('.')[0]!)) continue
    await withoutIndexes(database, table, statement)
    if (table === 'report_view.report') await addMacs(database, accountId, { size, macs })
    await database.execute(`VACUUM ANALYZE ${table}`)
  }
}

/** Rows come in without a look at foreign keys, and indexes are made of all rows afterwards: so millions of rows take minutes. */
async function withoutIndexes(database: Database, table: string, insert: string): Promise<void> {
  const indexes = await database.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = $1::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [table],
  )
  await database.query(
    [
      ...['BEGIN', 'SET LOCAL session_replication_role = replica'],
      ...indexes.map(({ name }) => `DROP INDEX ${name}`),
      insert,
      ...indexes.map(({ definition }) => definition),
      'COMMIT',
    ].join(';\n'),
  )
}

/** More than any page reaches from an end of the account. */
const WITH_MAC = 10_000

/** As the projector makes them: without, each report that is answered would be read from a record that it does not have. */
async function addMacs(
  database: Database,
  accountId: string,
  { size, macs }: { readonly size: number; readonly macs: TextMacs },
): Promise<void> {
  const rows = await database.query<{ id: string; document: string }>(
    `SELECT report_id AS id, document FROM report_view.report
     WHERE account_id = $1 AND document_mac IS NULL AND (log_offset < $2 OR log_offset >= $3)`,
    [accountId, WITH_MAC, size - WITH_MAC],
  )
  await database.execute(
    `UPDATE report_view.report SET document_mac = mac
     FROM unnest($1::text[], $2::text[]) AS made (id, mac) WHERE report_id = id`,
    [
      rows.map(({ id }) => id),
      rows.map(({ id: reportId, document }) =>
        documentMac(macs, { accountId, livemode: true, reportId, document }),
      ),
    ],
  )
}
