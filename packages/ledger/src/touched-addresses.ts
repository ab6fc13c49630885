/**
 * The addresses whose examination new segments can change: those that moved value in them, and those from which a search goes through one of
 * these. An address that is left out has the same answer in both states. Where that is not sure, all addresses of the chain are touched.
 */
import {
  chainFactsOf,
  findChain,
  hasSharedKeys,
  isAssetContract,
  isCoinJoinNode,
  ISSUANCE,
  type CompiledPolicy,
} from '@cupel/domain'
import type { Queryable, Statement } from '@cupel/postgres'
import {
  changedRows,
  segmentsOf,
  type ChangedSegment,
  type Heights,
  type SegmentRange,
} from './changed-rows.js'
import { BLOCKS } from './formats/blocks.js'
import { isCrowd } from './formats/coin-join.js'
import { rangeStanding } from './range-standing.js'
import { declaredRanges } from './segments.js'
import { hubsAmong } from './sizes.js'
import { ledgerStoreFault } from './store-fault.js'
import { neighboursIn } from './store/transfers.js'

export interface TouchRequest extends SegmentRange {
  readonly policy: CompiledPolicy
  /** Time of the question, in seconds since 1970. */
  readonly nowS: number
  /** Of these addresses those that have any label, each with whether it is a service, at which paths end. */
  readonly labelled: (
    addresses: readonly string[],
  ) => Promise<ReadonlyMap<string, { readonly isService: boolean }>>
  /** More addresses are not searched. */
  readonly maxAddresses?: number
}

/** Addresses of one search: some 30 MB, and less time than the decisions that it saves. */
export const MAX_TOUCHED = 200_000
/** Addresses of one statement. */
const PER_READ = 500

/** Canonical addresses; `all` stands for every address of the chain. */
export async function touchedAddresses(
  database: Queryable,
  request: TouchRequest,
): Promise<ReadonlySet<string> | 'all'> {
  const { chain, policy, maxAddresses: most = MAX_TOUCHED } = request
  // Accounts of a token owner, and the joined keys of stakes, do not follow from what the rows name.
  if (chain === 'SOL' || findChain(chain)?.family === 'cardano') return 'all'
  const segments = await segmentsOf(database, request)
  if (segments.length === 0) return new Set()
  await requireStore(database)
  // A file of times of blocks tells when transfers of other files were.
  if (segments.some(({ format }) => format === BLOCKS)) return 'all'
  const heights = await changedHeights(database, request, segments)
  if (heights === 'all') return 'all'
  const changed = await changedRows(database, request, {
    ...{ segments, heights, most },
    maxClusterAddresses: policy.document.cluster.addresses,
  })
  if (changed === null) return 'all'
  const nodes = [...changed.moved].filter(isCoinJoinNode)
  return await reached(database, request, {
    moved: changed.moved,
    attributed: new Set([...changed.attributed, ...nodes]),
    most,
  })
}

/** Nothing is called untouched by a process that looks for the transfers in the wrong place. */
async function requireStore(database: Queryable): Promise<void> {
  const fault = await ledgerStoreFault(database)
  if (fault !== null) throw new Error(fault)
}

export interface RelabelledRequest extends Pick<
  TouchRequest,
  'chain' | 'policy' | 'labelled' | 'maxAddresses'
> {
  /** Addresses of the chain whose labels changed, in the notation of the ledger. */
  readonly addresses: readonly string[]
}

/**
 * The addresses whose examination other labels of these addresses can change: those from which a search reaches one of them. As in a screen, no path
 * goes through an unlabelled hub or a service. `all` stands for every address of the chain: also where clusters decide what is a hub.
 */
export async function addressesReaching(
  database: Queryable,
  request: RelabelledRequest,
): Promise<ReadonlySet<string> | 'all'> {
  const { chain, addresses, maxAddresses: most = MAX_TOUCHED } = request
  if (chain === 'SOL' || findChain(chain)?.family === 'cardano') return 'all'
  if (chainFactsOf(chain)?.spendsTogether === true) return 'all'
  await requireStore(database)
  const [state] = await database.query<{ seq: number }>(
    'SELECT coalesce(max(ledger_seq), 0) AS seq FROM ledger.segment WHERE chain = $1',
    [chain],
  )
  const found = await reached(
    database,
    { ...request, fromSeq: state!.seq, toSeq: state!.seq },
    { moved: new Set(), attributed: new Set(addresses), most },
  )
  if (found === 'all') return 'all'
  const holders = await readNew(statement(database, chain, HOLDERS), {
    ...{ addresses, most },
    touched: new Set(found),
  })
  return holders === null ? 'all' : new Set([...found, ...holders])
}

/** Who has a token that no table knows: its contract, and the other end of its transfers, count by their labels. */
const HOLDERS = {
  name: 'ledger.touched-holders',
  text: `
  SELECT from_address AS address FROM ledger.unknown_token WHERE chain = $1 AND (contract = ANY ($2::text[]) OR to_address = ANY ($2::text[]))
  UNION
  SELECT to_address FROM ledger.unknown_token WHERE chain = $1 AND (contract = ANY ($2::text[]) OR from_address = ANY ($2::text[]))
  LIMIT $3`,
}

/**
 * The heights at which segments may change what earlier files hold: whatever a range newly contains lies in the range of a segment. Null for
 * none, `all` if the history of every address becomes whole, or is whole no more.
 */
async function changedHeights(
  database: Queryable,
  { chain, fromSeq, toSeq, policy, nowS }: TouchRequest,
  segments: readonly ChangedSegment[],
): Promise<Heights | null | 'all'> {
  const before = await declaredRanges(database, { chain, ledgerSeq: fromSeq })
  const after = await declaredRanges(database, { chain, ledgerSeq: toSeq })
  const age = { nowS, maxAgeHours: policy.exposure.document.history_max_age_hours }
  if (rangeStanding(chain, before, age) !== rangeStanding(chain, after, age)) return 'all'
  if (await isFirst(database, { chain, fromSeq })) return 'all'
  const files = segments.filter(({ history }) => history === null)
  const lows = files.flatMap(({ low }) => low ?? [])
  const highs = files.flatMap(({ high }) => high ?? [])
  if (lows.length === 0 || highs.length === 0) return null
  return { low: Math.min(...lows), high: Math.max(...highs) }
}

/** The chain had no segment before: now its ledger is known. */
async function isFirst(
  database: Queryable,
  of: { readonly chain: string; readonly fromSeq: number },
): Promise<boolean> {
  const known = await database.query(
    'SELECT FROM ledger.segment WHERE chain = $1 AND ledger_seq <= $2 LIMIT 1',
    [of.chain, of.fromSeq],
  )
  return known.length === 0
}

type SearchRequest = SegmentRange & Pick<TouchRequest, 'policy' | 'labelled'>

interface Found {
  /** Addresses whose transfers changed: a search reads those of addresses that are fewer than its hops away. */
  readonly moved: ReadonlySet<string>
  /** Addresses that are judged otherwise: a search asks for those that are up to its hops away. */
  readonly attributed: ReadonlySet<string>
  readonly most: number
}

async function reached(
  database: Queryable,
  request: SearchRequest,
  { moved, attributed, most }: Found,
): Promise<ReadonlySet<string> | 'all'> {
  const { chain } = request
  const { hops } = request.policy.exposure.document
  const touched = new Set<string>()
  const own = await withSiblings(database, chain, { addresses: [...moved], touched, most })
  const judged = await withSiblings(database, chain, { addresses: [...attributed], touched, most })
  if (own === null || judged === null) return 'all'
  // What counts as a counterparty is asked for whatever it is. A path goes only through what a search follows.
  let frontier = await neighbours(database, chain, { addresses: judged, touched, most })
  if (frontier === null) return 'all'
  frontier = [...frontier, ...own]
  for (let left = hops - 1; left >= 1; left--) {
    const through = await followable(database, request, frontier)
    frontier = await neighbours(database, chain, { addresses: through, touched, most })
    if (frontier === null) return 'all'
  }
  return touched
}

/** Those of the addresses through which a path may go in the state before or after. */
async function followable(
  database: Queryable,
  request: SearchRequest,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const { chain, policy } = request
  const { limits } = policy.exposure.document
  const open = addresses.filter((one) => one !== '' && one !== ISSUANCE && !isCrowd(one))
  const size = {
    transfers: limits.transfers_per_intermediary,
    counterparties: limits.hub_counterparties,
    remaining: 0,
  }
  const before = await hubsAmong(database, open, { chain, ledgerSeq: request.fromSeq, limits: size })
  const after =
    request.toSeq === request.fromSeq
      ? before
      : await hubsAmong(database, open, { chain, ledgerSeq: request.toSeq, limits: size })
  // The labels of a cluster count for its members: which of them are hubs by their labels is not asked.
  const areHubsSure = chainFactsOf(chain)?.spendsTogether !== true
  const isEnd = (one: string): boolean =>
    (areHubsSure && before.hubs.has(one) && after.hubs.has(one)) || isAssetContract(chain, one)
  const isLarge = (one: string): boolean => before.large.has(one) || after.large.has(one)
  const labels = await request.labelled(open.filter((one) => isEnd(one) || isLarge(one)))
  return open.filter((one) => {
    const label = labels.get(one)
    return label === undefined ? !isEnd(one) : !label.isService
  })
}

const SIBLINGS = {
  name: 'ledger.touched-siblings',
  text: `
  SELECT DISTINCT o.address FROM ledger.owner_address own JOIN ledger.owner_address o USING (chain, owner_key)
  WHERE own.chain = $1 AND own.address = ANY ($2::text[]) AND o.address <> own.address LIMIT $3`,
}

interface Asked {
  readonly addresses: readonly string[]
  /** What was found before; what is new is added. */
  readonly touched: Set<string>
  readonly most: number
}

/**
 * The addresses one transfer away that are new, with the others of their keys; null if these become too many. A node of a transaction is no hop: its
 * payments are those of its other side.
 */
async function neighbours(
  database: Queryable,
  chain: string,
  { addresses, ...of }: Asked,
): Promise<string[] | null> {
  const store = neighboursIn(database)
  const found: string[] = []
  let frontier = addresses
  while (frontier.length > 0) {
    const read = await readNew((part, most) => store.neighbours({ chain, addresses: part, most }), {
      ...of,
      addresses: frontier,
    })
    const next = read === null ? null : await withSiblings(database, chain, { ...of, addresses: read })
    if (next === null) return null
    found.push(...next)
    frontier = next.filter(isCoinJoinNode)
  }
  return found
}

/** The addresses, and the others of their keys. */
async function withSiblings(
  database: Queryable,
  chain: string,
  { addresses, ...of }: Asked,
): Promise<string[] | null> {
  for (const one of addresses) of.touched.add(one)
  if (!hasSharedKeys(chain)) return [...addresses]
  const others = await readNew(statement(database, chain, SIBLINGS), { ...of, addresses })
  return others === null ? null : [...addresses, ...others]
}

type Read = (addresses: readonly string[], most: number) => Promise<readonly string[]>

const statement =
  (database: Queryable, chain: string, of: Statement): Read =>
  async (addresses, most) =>
    (await database.query<{ address: string }>(of, [chain, addresses, most])).map(({ address }) => address)

async function readNew(read: Read, { addresses, touched, most }: Asked): Promise<string[] | null> {
  const added: string[] = []
  for (let start = 0; start < addresses.length; start += PER_READ) {
    const found = await read(addresses.slice(start, start + PER_READ), most + 1)
    for (const address of found) {
      if (touched.has(address)) continue
      touched.add(address)
      added.push(address)
    }
    if (touched.size > most || found.length > most) return null
  }
  return added
}
