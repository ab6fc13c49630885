/** Rows of transfers in ClickHouse, one by one and added up. */
import { hash } from 'node:crypto'
import type { Queryable } from '@cupel/postgres'
import type {
  LargestRequest,
  OfAddresses,
  RowsRequest,
  StoredBundle,
  TransferReader,
} from '../transfer-store.js'
import type { ClickHouse } from './client.js'
import { blockTimes, dustIn, known, numbersOf, seenRows, weightIn } from './parts.js'
import { writtenIn, type WrittenState } from './runs.js'
import { UNKNOWN } from './tables.js'

/** The columns of a `StoredRow` but the first, which is the number of the address here. The last one is the weight. */
const ROW = [
  'address_id',
  'lower(hex(transfer_id))',
  `if(outgoing = 1, 't', 'f')`,
  'counterparty_id',
  'contract',
  'toString(amount)',
  known('block_number'),
  known('occurred_at_s'),
  known('tx_index'),
  known('place'),
  `if(proven_segment_id > 0, 't', 'f')`,
  `ifNull(toString(if(outgoing = 1, from_net, to_net)), '')`,
  'kind',
  'lower(hex(tx_hash))',
]
const [ADDRESS, BLOCK, AT_S] = [0, 6, 7]
const WEIGHT = ROW.length

const READ = [
  ...[
    'address_id',
    'transfer_id',
    'outgoing',
    'counterparty_id',
    'contract',
    'amount',
    'block_number',
    'occurred_at_s',
    'tx_index',
  ],
  ...['place', 'proven_segment_id', 'from_net', 'to_net', 'kind', 'tx_hash'],
]

type Line = readonly (string | null)[]

export function rowsIn(
  database: Queryable,
  clickHouse: ClickHouse,
): Pick<TransferReader, 'largestRows' | 'allRows' | 'bundles'> {
  const found = async (
    request: RowsRequest,
    select: (written: WrittenState, numbers: readonly number[]) => string,
  ) => {
    const places = await placesOf(database, request)
    const written = places.size === 0 ? null : await writtenIn(database, request)
    if (written === null) return []
    const lines = await clickHouse.rows(select(written, [...places.keys()]))
    return placed(await timed(database, request, lines), places)
  }
  return {
    async largestRows(request: LargestRequest) {
      const rows = await found(request, (written, numbers) => {
        const worth = request.isWorth ? `WHERE weight >= ${dustIn(request.chain)}` : ''
        return `SELECT ${ROW.join(', ')}, ${weightIn(request.chain)} AS weight
          FROM ${seenRows({ written, numbers }, READ)} ${worth}
          ORDER BY address_id, weight DESC, transfer_id LIMIT ${request.limit} BY address_id`
      })
      return inOrder(rows, request).map((row) => row.slice(0, WEIGHT))
    },
    allRows: async (request) =>
      await found(
        request,
        (written, numbers) => `SELECT ${ROW.join(', ')} FROM ${seenRows({ written, numbers }, READ)}`,
      ),
    bundles: async (request) => await bundles(database, clickHouse, request),
  }
}

/** The places, from 1, at which a request names each address, by the number of the address. */
async function placesOf(database: Queryable, { chain, addresses }: OfAddresses) {
  const numbers = await numbersOf(database, chain, addresses)
  const places = new Map<number, number[]>()
  for (const [index, address] of addresses.entries()) {
    const number = numbers.get(address)
    if (number === undefined) continue
    places.set(number, [...(places.get(number) ?? []), index + 1])
  }
  return places
}

const placed = (lines: readonly Line[], places: ReadonlyMap<number, readonly number[]>): string[][] =>
  lines.flatMap((line) =>
    places.get(Number(line[ADDRESS]))!.map((place) => [String(place), ...(line.slice(1) as string[])]),
  )

/** With the times of blocks for rows whose files have none. */
async function timed(
  database: Queryable,
  request: OfAddresses,
  lines: readonly Line[],
): Promise<readonly Line[]> {
  const isUntimed = (line: Line): boolean => line[AT_S] === '' && line[BLOCK] !== ''
  const times = await blockTimes(database, request, [
    ...new Set(lines.filter(isUntimed).map((line) => line[BLOCK]!)),
  ])
  if (times.size === 0) return lines
  return lines.map((line) => (isUntimed(line) ? line.with(AT_S, times.get(line[BLOCK]!) ?? '') : line))
}

/** In the order of the owners, then the largest first. */
function inOrder(rows: readonly string[][], { owners }: RowsRequest): readonly string[][] {
  const ownerOf = (row: readonly string[]): number => owners[Number(row[0]) - 1]!
  const weighed = rows.map((row) => ({ row, owner: ownerOf(row), weight: BigInt(row[WEIGHT]!) }))
  weighed.sort((a, b) => {
    if (a.owner !== b.owner) return a.owner - b.owner
    if (a.weight !== b.weight) return a.weight > b.weight ? -1 : 1
    return a.row[1]! < b.row[1]! ? -1 : 1
  })
  return weighed.map(({ row }) => row)
}

const DAY_S = 86_400

/** What a transfer without a time of its own counts for is known once its block has one: until then each block is a bundle. */
async function bundles(
  database: Queryable,
  clickHouse: ClickHouse,
  request: OfAddresses & { readonly beyond: number },
): Promise<readonly StoredBundle[]> {
  const { chain, addresses, beyond } = request
  const numbers = [...new Set((await numbersOf(database, chain, addresses)).values())]
  const written = numbers.length === 0 ? null : await writtenIn(database, request)
  if (written === null) return []
  const rows = seenRows({ written, numbers }, READ)
  const largest = `SELECT outgoing, address_id, transfer_id FROM ${rows} ORDER BY ${weightIn(chain)} DESC, transfer_id LIMIT ${beyond}`
  const isTimeless = `occurred_at_s = ${UNKNOWN}`
  const lines = await clickHouse.rows(`
    SELECT lower(hex(min(transfer_id))), outgoing, counterparty_id, contract, kind, proven_segment_id > 0 AS proven, toString(sum(amount)),
      count(), min(occurred_at_s), max(occurred_at_s), max(block_number), timeless
    FROM ${rows}
    WHERE amount > 0 ${beyond === 0 ? '' : `AND (outgoing, address_id, transfer_id) NOT IN (${largest})`}
    GROUP BY outgoing, counterparty_id, contract, kind, proven, if(${isTimeless}, ${UNKNOWN}, intDiv(occurred_at_s, ${DAY_S})),
      if(${isTimeless}, toString(block_number), '') AS timeless`)
  const times = await blockTimes(database, request, [
    ...new Set(
      lines.map((line) => line[11]!).filter((height) => height !== '' && height !== String(UNKNOWN)),
    ),
  ])
  const merged = new Map<string, Bundle>()
  for (const line of lines) {
    const [
      id,
      outgoing,
      counterparty,
      contract,
      kind,
      proven,
      amount,
      transfers,
      first,
      last,
      block,
      timeless,
    ] = line as string[]
    const at = timeless === '' ? null : (times.get(timeless!) ?? '')
    const day = at === '' ? '' : Math.floor(Number(at ?? first) / DAY_S)
    const key = [outgoing, counterparty, contract, kind, proven, day].join(' ')
    const one: Bundle = {
      ...{
        id: id!,
        outgoing: outgoing === '1',
        counterparty: Number(counterparty),
        contract: contract!,
        kind: kind!,
      },
      ...{ proven: proven === '1', amount: BigInt(amount!), transfers: Number(transfers) },
      ...(at === '' ? { first: null, last: null } : { first: Number(at ?? first), last: Number(at ?? last) }),
      block: Number(block),
    }
    const other = merged.get(key)
    merged.set(key, other === undefined ? one : joined(one, other))
  }
  return [...merged.values()].map(bundleOf).sort((a, b) => (a.id < b.id ? -1 : 1))
}

interface Bundle extends Pick<
  StoredBundle,
  'id' | 'outgoing' | 'counterparty' | 'contract' | 'kind' | 'proven' | 'transfers'
> {
  readonly amount: bigint
  readonly first: number | null
  readonly last: number | null
  /** `UNKNOWN` is the highest one. */
  readonly block: number
}

/** Both have a time, or neither has. */
const joined = (one: Bundle, other: Bundle): Bundle => ({
  ...one,
  id: one.id < other.id ? one.id : other.id,
  amount: one.amount + other.amount,
  transfers: one.transfers + other.transfers,
  first: one.first === null ? null : Math.min(one.first, other.first!),
  last: one.last === null ? null : Math.max(one.last, other.last!),
  block: Math.max(one.block, other.block),
})

/** The id is the one that Postgres gives the same bundle. */
function bundleOf({ id, amount, first, last, block, ...rest }: Bundle): StoredBundle {
  const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  return {
    ...rest,
    id: hash('md5', `bundle ${uuid}`),
    amount: amount.toString(),
    firstAtS: first === null ? null : String(first),
    lastAtS: last === null ? null : String(last),
    blockNumber: block === UNKNOWN ? null : String(block),
  }
}
