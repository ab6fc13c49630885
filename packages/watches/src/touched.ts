/**
 * The watches that a change of labels, ledger, policy or scorer can affect. A statement that cannot decide returns too many watches, never
 * too few: a watch too many costs a screening, and a watch too few hides a listed address.
 */
import { isAssetContract, parseAddress, tokenAccountsOf, writtenForms } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { ALL_TURNS_MS, TURN_MS } from './limits.js'

/** A state that every watch was checked against. */
export interface WatchedState {
  readonly labelSetSeq: number
  readonly ledgerSeq: number
  readonly policySeq: number
  readonly scorerVersion: string
}

/** The cause of another decision. */
export type WatchCause = 'created' | 'labels' | 'ledger' | 'policy' | 'scorer'

/** Maximum number of addresses that labels affect through transfers, if every transfer counts. Beyond it, hubs and services end the paths. */
const MAX_REACHED = 20_000
/**
 * A decision waits until every scorer has the new state. A scorer uses a state that it cannot confirm for at most 30 s, and then decides
 * nothing; a report of the old state would stand until the next pass through all watches.
 */
const LEDGER_PATIENCE_MS = 35_000

/** Finds the addresses of a chain whose answer a change can change. `all`: those of all of the chain. */
export type FindTouched = (
  database: Queryable,
  change: { readonly chain: string } & (
    | /** The segments after `fromSeq`, up to `toSeq`. */ { readonly fromSeq: number; readonly toSeq: number }
    | /** Other labels of these addresses, in the notation of the ledger. */ {
        readonly relabelled: readonly string[]
      }
  ),
) => Promise<ReadonlySet<string> | 'all'>

interface Change {
  readonly from: WatchedState
  readonly to: WatchedState
  readonly hops: number
}

/** Marks the affected watches as due, and returns their number. */
export async function markTouched(
  transaction: Queryable,
  change: Change & { readonly findTouched: FindTouched },
): Promise<number> {
  const { from, to } = change
  let marked = 0
  if (to.scorerVersion !== from.scorerVersion) marked += await markDue(transaction, 'scorer', 'true', [])
  if (to.policySeq !== from.policySeq) marked += await markDue(transaction, 'policy', 'w.livemode', [])
  if (to.labelSetSeq !== from.labelSetSeq) marked += await markOfLabels(transaction, change)
  if (to.ledgerSeq !== from.ledgerSeq) marked += await markOfSegments(transaction, change)
  return marked
}

async function markOfSegments(
  transaction: Queryable,
  { from, to, hops, findTouched }: Change & { readonly findTouched: FindTouched },
): Promise<number> {
  const range = { fromSeq: from.ledgerSeq, toSeq: to.ledgerSeq }
  // A watch of several chains counts for each. One that nobody watches is not searched.
  const chains = await transaction.query<{ chain: string; has_files: boolean }>(
    `SELECT s.chain, bool_or(s.history_address IS NULL) AS has_files FROM ledger.segment s
     WHERE s.ledger_seq > $1 AND s.ledger_seq <= $2 AND EXISTS (SELECT FROM watches.watch w WHERE w.livemode AND ${IS_ON('s.chain')})
     GROUP BY s.chain`,
    [range.fromSeq, range.toSeq],
  )
  let marked = 0
  for (const { chain, has_files: hasFiles } of chains) {
    const touched = await findTouched(transaction, { chain, ...range })
    if (touched !== 'all')
      marked += await markAddresses(transaction, { chain, cause: 'ledger', addresses: touched })
    else if (hasFiles)
      marked += await markDue(
        transaction,
        'ledger',
        `w.livemode AND ${IS_ON('$5')}`,
        [chain],
        LEDGER_PATIENCE_MS,
      )
    else marked += await markOfHistories(transaction, { chain, ...range }, hops)
  }
  return marked
}

/** What a provider told of one address touches those that a path of transfers joins with it, not all watches of the chain. */
async function markOfHistories(
  transaction: Queryable,
  { chain, fromSeq, toSeq }: { readonly chain: string; readonly fromSeq: number; readonly toSeq: number },
  hops: number,
): Promise<number> {
  const told = await transaction.query<{ address: string }>(
    `SELECT history_address AS address FROM ledger.segment
     WHERE ledger_seq > $1 AND ledger_seq <= $2 AND chain = $3 AND history_address IS NOT NULL LIMIT ${MAX_REACHED + 1}`,
    [fromSeq, toSeq, chain],
  )
  const changed = told.map(({ address }): ChangedAddress => ({
    chain,
    address,
    lookup_key: keyOf(address, chain),
  }))
  return await markReached(transaction, { chain, changed, hops, cause: 'ledger' })
}

function keyOf(address: string, chain: string): string {
  const parsed = parseAddress(address, chain)
  return parsed.ok ? parsed.lookupKey : address
}

/** Marks the watches of addresses of one chain, also those that are judged on it among others. */
async function markAddresses(
  transaction: Queryable,
  {
    chain,
    cause,
    addresses,
  }: { readonly chain: string; readonly cause: WatchCause; readonly addresses: Iterable<string> },
): Promise<number> {
  const keys = new Set([...addresses].map((address) => keyOf(address, chain)))
  return await markDue(
    transaction,
    cause,
    `w.livemode AND w.lookup_key = ANY ($6::text[]) AND ${IS_ON('$5')}`,
    [chain, [...keys]],
    cause === 'ledger' ? LEDGER_PATIENCE_MS : 0,
  )
}

/**
 * The watches that a change affects become due one after another: many decisions at once would delay interactive screens. A
 * watch that is already due becomes due no later, with one exception: after a change of the ledger it waits until every scorer has
 * seen it, whatever else changes meanwhile. A watch that ended is no longer due.
 */
async function markDue(
  transaction: Queryable,
  cause: WatchCause,
  condition: string,
  values: readonly unknown[],
  afterMs = 0,
): Promise<number> {
  return await transaction.execute(
    `WITH touched AS (
       SELECT w.watch_id, (row_number() OVER (ORDER BY w.watch_id) - 1) * least($3::float8, $4::float8 / count(*) OVER ()) AS turn_ms
       FROM watches.watch w
       WHERE (w.until IS NULL OR w.until > clock_timestamp()) AND (${condition}))
     UPDATE watches.watch w SET
       due_at = greatest(
         least(w.due_at, now() + ${MS('$2 + t.turn_ms')}),
         now() + ${MS('$2')},
         CASE WHEN 'ledger' = ANY (w.causes) THEN least(w.due_at, now() + ${MS(String(LEDGER_PATIENCE_MS))}) END),
       causes = CASE WHEN $1 = ANY (w.causes) THEN w.causes ELSE w.causes || $1::text END
     FROM touched t WHERE w.watch_id = t.watch_id`,
    [cause, afterMs, TURN_MS, ALL_TURNS_MS, ...values],
  )
}

/** Milliseconds of an expression, as an interval. */
const MS = (expression: string): string => `make_interval(secs => (${expression})::float8 / 1000)`

async function markOfLabels(
  transaction: Queryable,
  { from, to, hops, findTouched }: Change & { readonly findTouched: FindTouched },
): Promise<number> {
  const range = [from.labelSetSeq, to.labelSetSeq]
  const [news] = await transaction.query<{ changes_lists: boolean }>(CHANGES_LISTS, range)
  if (news?.changes_lists === true) return await markDue(transaction, 'labels', 'w.livemode', [])
  let marked = await markDue(
    transaction,
    'labels',
    `w.livemode AND (w.awaits_lists AND ${RENEWS_LISTS('$5', '$6')} OR w.lookup_key IN (${CHANGED_KEYS('$5', '$6')})
       OR strpos(w.lookup_key, '|') > 0 AND string_to_array(w.lookup_key, '|') && ARRAY(${CHANGED_KEYS('$5', '$6')}))`,
    range,
  )
  const chains = await transaction.query<{ chain: string }>(
    `SELECT DISTINCT s.chain FROM ledger.segment s
     WHERE EXISTS (SELECT FROM watches.watch w WHERE w.livemode AND ${IS_ON('s.chain')})`,
  )
  if (chains.length === 0) return marked
  const changed = await transaction.query<ChangedAddress>(CHANGED_ADDRESSES, [...range, MAX_REACHED + 1])
  for (const { chain } of chains)
    marked += await markReached(transaction, { chain, changed, hops, findTouched })
  return marked
}

/** The chain is the watched one, or one that the watched address is judged on too. */
const IS_ON = (chain: string): string => `(w.chain = ${chain} OR w.candidate_chains::jsonb ? ${chain})`

/** An address of any chain, in the notation of its label's chain. */
interface ChangedAddress extends Record<string, unknown> {
  readonly chain: string
  readonly address: string
  readonly lookup_key: string
}

interface Search {
  readonly chain: string
  readonly changed: readonly ChangedAddress[]
  readonly hops: number
  readonly cause?: WatchCause
  /** Searches further where labels changed; a change of the ledger was searched before. */
  readonly findTouched?: FindTouched
}

/**
 * Watches from which a path of transfers, or a common spending, leads to an address whose labels changed, or to another form of its key.
 * The ledger holds addresses in one form each, so the forms are derived before it is searched, and the keys after.
 */
async function markReached(
  transaction: Queryable,
  { chain, changed, hops, findTouched, cause = 'labels' }: Search,
): Promise<number> {
  const afterMs = cause === 'ledger' ? LEDGER_PATIENCE_MS : 0
  const all = (): Promise<number> =>
    markDue(transaction, cause, `w.livemode AND ${IS_ON('$5')}`, [chain], afterMs)
  // The ledger joins addresses by what spends, so it does not know which of them have one stake credential.
  const isJoined = changed.some((one) => chain === 'ADA' && one.chain === chain)
  if (changed.length > MAX_REACHED || isJoined) return await all()
  const forms = changed.flatMap((one) => [
    ...writtenForms(one.address, one.chain, chain),
    ...(chain === 'SOL' && one.chain === chain ? tokenAccountsOf(one.address) : []),
  ])
  // The label of a contract counts for all its tokens, and nearly everybody has some of them.
  if (forms.some((one) => isAssetContract(chain, one))) return await all()
  const search = async (): Promise<number> => {
    const touched = (await findTouched?.(transaction, { chain, relabelled: [...new Set(forms)] })) ?? 'all'
    return touched === 'all'
      ? await all()
      : await markAddresses(transaction, { chain, cause, addresses: touched })
  }
  // Transfers in another store are not in the table that the statement searches.
  if ((await transaction.query(ELSEWHERE)).length > 0) return await search()
  const statement = { name: 'watches.reached', text: REACHED }
  const reached = await transaction.query<{ address: string; rows: number }>(statement, [
    chain,
    [...new Set(forms)],
    hops,
    MAX_REACHED + 1,
    [...new Set(changed.map((one) => one.lookup_key))],
  ])
  // An address that is reached over several numbers of transfers has a row for each: the limit counts rows.
  if (reached.length > MAX_REACHED || (reached[0]?.rows ?? 0) > MAX_REACHED) return await search()
  return await markAddresses(transaction, { chain, cause, addresses: reached.map(({ address }) => address) })
}

const ELSEWHERE = { name: 'watches.transfers-elsewhere', text: 'SELECT FROM ledger.store_run LIMIT 1' }

/** SQL: somebody accepted every row of a publication that could not be read. */
const isRead = (publication: string): string =>
  `(${publication}.rows::json ->> 'unreadable' = ${publication}.rows::json ->> 'accepted')`

/**
 * Whether a publication changed which lists are in force or expected, which can change the level of every address. The same holds for
 * a list that became empty or incomplete, or that states an older date.
 */
const CHANGES_LISTS = {
  name: 'watches.changes-lists',
  text: `SELECT EXISTS (
    SELECT FROM label_view.publication p WHERE p.label_set_seq > $1 AND p.label_set_seq <= $2
      AND NOT p.historical
      AND (p.kind <> 'published' OR p.replaces <> '[]' OR p.total = 0 OR p.stale_base OR p.visible <> p.total
        OR EXISTS (
          SELECT FROM label_view.publication r WHERE r.replaces <> '[]'
            AND r.replaces::jsonb @> jsonb_build_array(jsonb_build_object('source', p.source, 'dataset', p.dataset)))
        OR (SELECT earlier.total > 0 AND earlier.whole = p.whole AND earlier.authority_origin = p.authority_origin
              AND earlier.refresh_configured = p.refresh_configured AND coalesce(p.as_of >= earlier.as_of, earlier.as_of IS NULL)
              AND earlier.version_of = p.version_of AND ${isRead('earlier')} = ${isRead('p')}
            FROM label_view.publication earlier
            WHERE earlier.source = p.source AND earlier.dataset = p.dataset AND earlier.kind = 'published'
              AND NOT earlier.historical AND earlier.label_set_seq < p.label_set_seq
            ORDER BY earlier.label_set_seq DESC LIMIT 1) IS NOT TRUE)) AS changes_lists`,
}

/** Whether a publication in the range renews a list that the coverage of labels depends on: an authority's own, or a required one. */
const RENEWS_LISTS = (after: string, upTo: string): string => `EXISTS (
  SELECT FROM label_view.publication p WHERE p.label_set_seq > ${after} AND p.label_set_seq <= ${upTo}
    AND (p.whole OR p.authority_origin <> '' OR p.refresh_configured))`

/** Look-up keys of labels that a publication of the range added or retired: of a joined key its parts. */
const CHANGED_KEYS = (after: string, upTo: string): string => `
  WITH news AS (SELECT import_id FROM label_view.publication WHERE label_set_seq > ${after} AND label_set_seq <= ${upTo}),
  changed AS (
    SELECT l.import_id, l.label_id, l.lookup_key FROM label_view.label l WHERE l.import_id IN (SELECT import_id FROM news)
    UNION
    SELECT l.import_id, l.label_id, l.lookup_key FROM label_view.retirement r JOIN label_view.label l USING (label_id)
    WHERE r.import_id IN (SELECT import_id FROM news))
  SELECT lookup_key FROM changed
  UNION
  SELECT k.lookup_key FROM changed JOIN label_view.label_key k USING (import_id, label_id)`

/** Addresses whose labels a publication of the range changed, and those that share a key with them. */
const CHANGED_ADDRESSES = {
  name: 'watches.changed-addresses',
  text: `
    WITH key (lookup_key) AS (${CHANGED_KEYS('$1', '$2')})
    SELECT l.canonical_address AS address, l.chain, l.lookup_key FROM label_view.label l JOIN key USING (lookup_key)
    UNION
    SELECT l.canonical_address, l.chain, l.lookup_key
    FROM key JOIN label_view.label_key k USING (lookup_key) JOIN label_view.label l USING (import_id, label_id) LIMIT $3`,
}

/** SQL: the other addresses of the key of an address in the ledger. */
const SAME_KEY = (address: string): string => `
      SELECT o.address FROM ledger.owner_address own JOIN ledger.owner_address o USING (chain, owner_key)
      WHERE own.chain = $1 AND own.address = ${address} AND o.address <> own.address`

/**
 * Addresses of a chain within this number of transfers from the given addresses or from those of their clusters: a counterparty counts by
 * the labels of its cluster too. A token that no table knows forbids green if its contract or its other end has a label. The limit makes it
 * end early: the caller then takes all.
 */
const REACHED = `
  WITH RECURSIVE member (address) AS (
    (SELECT changed.address COLLATE "C" FROM unnest($2::text[]) AS changed (address)
    UNION
    SELECT o.address FROM ledger.owner_address o WHERE o.chain = $1 AND o.owner_key = ANY ($5::text[]))
    UNION
    SELECT j.other FROM member CROSS JOIN LATERAL (
      SELECT j.other FROM ledger.cluster_join j WHERE j.chain = $1 AND j.address = member.address
      UNION ALL ${SAME_KEY('member.address')}) j),
  near (address, hop) AS (
    ((SELECT address, 0 FROM member LIMIT $4)
    UNION
    (SELECT holder.address, 1 FROM member JOIN ledger.unknown_token u ON u.chain = $1 AND u.contract = member.address
     CROSS JOIN LATERAL (VALUES (u.from_address), (u.to_address)) holder (address) LIMIT $4))
    UNION
    SELECT next.address, near.hop + 1 FROM near CROSS JOIN LATERAL (
      SELECT other.address FROM ledger.address own
      JOIN ledger.transfer t ON t.from_id = own.address_id JOIN ledger.address other ON other.address_id = t.to_id
      WHERE hashtextextended(own.address, 0) = hashtextextended(near.address, 0) AND own.chain = $1 AND own.address = near.address
      UNION
      SELECT other.address FROM ledger.address own
      JOIN ledger.transfer t ON t.to_id = own.address_id JOIN ledger.address other ON other.address_id = t.from_id
      WHERE hashtextextended(own.address, 0) = hashtextextended(near.address, 0) AND own.chain = $1 AND own.address = near.address
      UNION
      SELECT u.to_address FROM ledger.unknown_token u WHERE u.chain = $1 AND u.from_address = near.address
      UNION
      SELECT u.from_address FROM ledger.unknown_token u WHERE u.chain = $1 AND u.to_address = near.address) crossed
      CROSS JOIN LATERAL (SELECT crossed.address UNION ALL ${SAME_KEY('crossed.address')}) next
    WHERE near.hop < $3),
  part AS MATERIALIZED (SELECT address FROM near LIMIT $4)
  SELECT address, (SELECT count(*) FROM part) AS rows FROM (
    (SELECT address FROM member LIMIT $4)
    UNION
    SELECT address FROM part) found`
