/**
 * A made-up chain whose activity follows a power law, as on every chain: the sender and the receiver of a transfer are each the address
 * floor(P · u³) with u uniform in [0, 1), so that low numbers are hubs. Everything comes from the seed.
 */
import { createHash } from 'node:crypto'
import { seededRandom } from '@cupel/system-tests'

export interface WorldOptions {
  readonly transfers: number
  /** One address in this many is labelled. */
  readonly labelledEvery: number
  /** Further transfers, all of one address without a label, with customers of its own: the other transfers stay as they are. */
  readonly ofGiant?: number
}

/** What is screened: each group has its own addresses. */
export type Group = 'absent' | 'ordinary' | 'busy' | 'hub' | 'giant'

const TRANSFERS_PER_ADDRESS = 5
const SEED = 20_261_129
const CATEGORIES = ['stolen', 'scam', 'mixer', 'darknet']
const FIRST_BLOCK = 15_000_000
const FIRST_BLOCK_AT = Date.UTC(2022, 5, 21)
const BLOCK_MS = 12_000
const TRANSFERS_PER_BLOCK = 150
/** Amounts have one of these numbers of digits, each equally often: below 0.01 to below 1,000 ether. */
const [LEAST_DIGITS, DIGITS] = [16, 6]
const LEADING_DIGITS = 6

/** An ordinary address does not belong to the busiest fifth and has 3 to 10 transfers of its own. */
const ORDINARY_FROM_SHARE = 0.2
const [ORDINARY_LEAST, ORDINARY_MOST] = [3, 10]
const [BUSY_FROM, BUSY_TO] = [1_000, 11_000]
const HUBS = 100
const TRANSFERS_PER_CUSTOMER = 20
const GIANT = -1

const TRANSFERS_HEADER =
  'chain,block_number,block_time,tx_hash,log_index,kind,asset,asset_address,from_address,to_address,amount_raw,amount,amount_usd,source,status,transaction_index\n'
const LABELS_HEADER = 'address,chain,category,entity,source,source_url,confidence,observed_at\n'

/** The number P of addresses. */
export const addressesOf = ({ transfers }: WorldOptions): number =>
  Math.ceil(transfers / TRANSFERS_PER_ADDRESS)

const customersOf = ({ ofGiant = 0 }: WorldOptions): number => Math.ceil(ofGiant / TRANSFERS_PER_CUSTOMER)

const textOf = (name: string): string => `0x${createHash('sha1').update(name).digest('hex')}`
const addressOf = (id: number): string => textOf(`address ${id}`)

interface Movement {
  readonly from: number
  readonly to: number
  readonly baseUnits: string
}

/** The transfers of the world, in the order of the chain. */
function* movements(options: WorldOptions): Generator<Movement> {
  const random = seededRandom(SEED).next
  const addresses = addressesOf(options)
  const any = (): number => Math.floor(addresses * random() ** 3)
  const { transfers, ofGiant = 0 } = options
  for (let made = 0; made < transfers + ofGiant; made += 1) {
    const isOfGiant = made >= transfers
    const customer = isOfGiant ? addresses + Math.floor(customersOf(options) * random()) : 0
    const [from, to] = !isOfGiant ? [any(), any()] : made % 2 === 0 ? [customer, GIANT] : [GIANT, customer]
    const digits = LEAST_DIGITS + Math.floor(DIGITS * random())
    const leading = 1 + Math.floor(random() * (10 ** LEADING_DIGITS - 1))
    yield { from, to, baseUnits: `${leading}${'0'.repeat(digits - LEADING_DIGITS)}` }
  }
}

/** The file of the world, in the layout `csv`. */
export function* transferRows(options: WorldOptions): Generator<string> {
  yield TRANSFERS_HEADER
  const names = new Map<number, string>()
  const nameOf = (id: number): string => {
    let name = names.get(id)
    if (name === undefined) names.set(id, (name = addressOf(id)))
    return name
  }
  let made = 0
  for (const { from, to, baseUnits } of movements(options)) {
    const block = Math.floor(made / TRANSFERS_PER_BLOCK)
    const at = new Date(FIRST_BLOCK_AT + block * BLOCK_MS).toISOString()
    const hash = createHash('sha256').update(`transaction ${made}`).digest('hex')
    yield `ETH,${FIRST_BLOCK + block},${at},0x${hash},,native,ETH,,${nameOf(from)},${nameOf(to)},${baseUnits},,,made_up,1,${made % TRANSFERS_PER_BLOCK}\n`
    made += 1
  }
}

/** The file of labels: every address whose number is a multiple of `labelledEvery`, hubs too. */
export function* labelRows(options: WorldOptions): Generator<string> {
  yield LABELS_HEADER
  const addresses = addressesOf(options) + customersOf(options)
  for (let id = 0; id < addresses; id += options.labelledEvery)
    yield `${addressOf(id)},ETH,${CATEGORIES[(id / options.labelledEvery) % CATEGORIES.length]},Entity ${id},made_up,https://example.org/${id},0.9,2026-01-01\n`
}

/** Addresses to screen, in an order without meaning, at most `count` of each group. */
export function groupsOf(options: WorldOptions, count: number): Readonly<Record<Group, readonly string[]>> {
  const addresses = addressesOf(options)
  const degrees = new Uint32Array(addresses)
  for (const { from, to } of movements({ ...options, ofGiant: 0 })) {
    degrees[from]! += 1
    degrees[to]! += 1
  }
  const random = seededRandom(SEED + 1)
  const drawn = (from: number, to: number, fits: (id: number) => boolean = () => true): readonly string[] => {
    const found = new Set<number>()
    for (let tries = 0; found.size < count && tries < 100 * count; tries += 1) {
      const id = from + random.below(to - from)
      if (fits(id)) found.add(id)
    }
    return [...found].map(addressOf)
  }
  const isOrdinary = (id: number): boolean => degrees[id]! >= ORDINARY_LEAST && degrees[id]! <= ORDINARY_MOST
  return {
    absent: Array.from({ length: count }, (_, index) => textOf(`absent ${index}`)),
    ordinary: drawn(Math.floor(addresses * ORDINARY_FROM_SHARE), addresses, isOrdinary),
    busy: drawn(Math.min(BUSY_FROM, addresses - 1), Math.min(BUSY_TO, addresses)),
    hub: drawn(0, Math.min(HUBS, addresses)),
    giant: [addressOf(GIANT)],
  }
}
