/**
 * Follows transfers from an address through others that are neither a service nor a hub. Every limit is a count, so that the same ledger
 * gives the same result on a slow machine.
 */
import type { ExposureCut } from '@cupel/contracts'
import {
  findAsset,
  isAssetContract,
  ISSUANCE,
  STEP_ITEMS,
  uncountedReason,
  type Steps,
  type Transfer,
} from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import type { Attributions } from './attributions.js'
import type { ExamineRequest } from './examine-request.js'
import { isCrowd } from './formats/coin-join.js'
import type { JointTransactions } from './joint-transactions.js'
import { areShared, type KnownTransfers } from './known-transfers.js'
import { paced, rested, type Pace } from './pace.js'
import { readCode } from './read-code.js'
import { readTransfers } from './read-transfers.js'
import { fittingOf, type Fitting, type KnownSizes } from './sizes.js'

/** Transfers of one query, so that the queries of other requests can run in between. */
const TRANSFERS_PER_READ = 2_000

export interface SearchOptions {
  readonly attributions: Attributions
  readonly joints: JointTransactions
  readonly pace: Pace
  readonly knownSizes: KnownSizes
  readonly knownTransfers: KnownTransfers
}

export interface Search {
  /**
   * Adds the transfers of every intermediary to those given; returns the intermediaries.
   * @param named further addresses whose labels the measurement needs
   */
  follow(
    transfers: Map<string, Transfer>,
    bundles: readonly Transfer[],
    named: readonly string[],
  ): Promise<readonly string[]>
  /** Of the intermediaries, those of which every transfer was added. */
  readonly whole: ReadonlySet<string>
  /** Addresses at which paths ended, or of which only the largest transfers were followed, with the reason. */
  readonly cut: readonly ExposureCut[]
}

export function createSearch(database: Queryable, request: ExamineRequest, options: SearchOptions): Search {
  const { attributions, joints, pace, knownSizes } = options
  const { chain, address, policy } = request
  const { hops, limits } = policy.exposure.document
  const paths = createPaths(request, attributions)
  const whole = new Set<string>()

  const follow: Search['follow'] = async (transfers, bundles, named) => {
    let remaining = limits.transfers_of_intermediaries
    let reached: ReadonlySet<string> = new Set([address])
    await attributions.learn([...transfers.values(), ...bundles], reached, named)
    for (let hop = 1; hop < hops; hop++) {
      const known = hop === 1 ? [...transfers.values(), ...bundles] : transfers.values()
      const candidates = await paced(counterpartiesByValue(chain, known, reached), pace)
      const open = paths.openOf(candidates, hop)
      await rested(pace)
      const {
        through: fitting,
        parts,
        cut,
      } = await fittingOf(database, open, {
        ...request,
        limits: {
          transfers: limits.transfers_per_intermediary,
          remaining,
          counterparties: limits.hub_counterparties,
        },
        isLabelled: (one) => attributions.of(one).isLabelled,
        known: knownSizes,
      })
      for (const one of cut) paths.end(one.address, one.reason, hop)
      const through = await withoutCode(database, request, { attributions, paths, fitting, hop })
      for (const one of parts) if (through.has(one)) paths.note(one, 'too_many_transfers', hop)
      remaining -= await addTransfersOf({ through, parts }, transfers)
      reached = new Set(through.keys())
      await attributions.learn(transfers.values(), reached)
    }
    return paths.followed
  }

  /** Returns the number of transfers. */
  async function addTransfersOf(
    { through, parts }: Pick<Fitting, 'through' | 'parts'>,
    transfers: Map<string, Transfer>,
  ): Promise<number> {
    let count = 0
    for (const isWorth of [false, true]) {
      const addresses = [...through.keys()].filter((one) => parts.has(one) === isWorth)
      const read = await transfersOf(database, request, { ...options, addresses, through, isWorth })
      for (const one of addresses) {
        const own = await joints.withoutNodes(one, read.get(one) ?? [])
        for (const transfer of own) transfers.set(transfer.id, transfer)
        paths.followThrough(one)
        if (!isWorth) whole.add(one)
        count += own.length
      }
    }
    return count
  }

  return { follow, whole, cut: paths.cut }
}

/** Those that are known, and the others in reads of a bounded number of transfers. */
async function transfersOf(
  database: Queryable,
  request: ExamineRequest,
  of: Pick<SearchOptions, 'pace' | 'knownTransfers'> & {
    readonly addresses: readonly string[]
    readonly through: ReadonlyMap<string, number>
    readonly isWorth: boolean
  },
): Promise<ReadonlyMap<string, readonly Transfer[]>> {
  const { chain, policy } = request
  const { addresses, through, isWorth, pace, knownTransfers } = of
  const limit = policy.exposure.document.limits.transfers_per_intermediary
  const keyOf = (one: string): string => `${request.ledgerSeq} ${chain} ${limit} ${isWorth} ${one}`
  const found = new Map<string, readonly Transfer[]>()
  for (const one of areShared(chain) ? addresses : []) {
    const known = knownTransfers.get(keyOf(one))
    if (known !== undefined) found.set(one, known)
  }
  const unknown = addresses.filter((one) => !found.has(one))
  for (const group of readsOf(unknown, through)) {
    await rested(pace)
    // Of an address that is followed whole, not even all rows of all states are more.
    const areSmall = !isWorth
    const read = await readTransfers(database, {
      ...request,
      addresses: group,
      limit,
      isWorth,
      areSmall,
      pace,
    })
    for (const [one, { transfers }] of read) {
      found.set(one, transfers)
      if (areShared(chain)) knownTransfers.keep(keyOf(one), transfers)
    }
  }
  return found
}

/** Code without a label serves many, like a hub. */
async function withoutCode(
  database: Queryable,
  request: ExamineRequest,
  of: {
    readonly attributions: Attributions
    readonly paths: ReturnType<typeof createPaths>
    readonly fitting: ReadonlyMap<string, number>
    readonly hop: number
  },
): Promise<ReadonlyMap<string, number>> {
  const { attributions, paths, fitting, hop } = of
  const addresses = [...fitting.keys()].filter((one) => !attributions.of(one).isLabelled)
  const code = await readCode(database, { ...request, addresses })
  for (const one of code) paths.end(one, 'contract', hop)
  return code.size === 0 ? fitting : new Map([...fitting].filter(([one]) => !code.has(one)))
}

/** The addresses on paths, and those at which paths ended. */
function createPaths({ chain, address, policy }: ExamineRequest, attributions: Attributions) {
  const { limits } = policy.exposure.document
  const settled = new Set<string>([address])
  const cut: ExposureCut[] = []
  const followed: string[] = []

  function note(one: string, reason: string, hop: number): void {
    cut.push({ address: one, reason, hops: hop })
  }

  function end(one: string, reason: string, hop: number): void {
    note(one, reason, hop)
    settled.add(one)
  }

  /** Why no path goes through the address; null if one may. */
  function endOf(one: string): string | null {
    const { service, isLabelled } = attributions.of(one)
    if (service !== null) return 'service'
    if (isCrowd(one)) return 'limit'
    if (one === ISSUANCE) return ISSUANCE
    return !isLabelled && isAssetContract(chain, one) ? 'contract' : null
  }

  return {
    cut,
    followed,
    note,
    end,
    followThrough(one: string): void {
      followed.push(one)
      settled.add(one)
    },
    /** The candidates that a path may go through, at most as many as the limit leaves; paths end at the others. */
    openOf(candidates: readonly string[], hop: number): readonly string[] {
      const open: string[] = []
      for (const one of candidates) {
        if (settled.has(one)) continue
        const isFull = open.length + followed.length >= limits.intermediaries
        const reason = endOf(one) ?? (isFull ? 'limit' : null)
        if (reason === null) open.push(one)
        else end(one, reason, hop)
      }
      return open
    },
  }
}

/** Counterparties of the given addresses, the highest value in units of the asset's dust first, then by address. */
function* counterpartiesByValue(
  chain: string,
  transfers: Iterable<Transfer>,
  of: ReadonlySet<string>,
): Steps<readonly string[]> {
  const weights = new Map<string, bigint>()
  let items = 0
  for (const transfer of transfers) {
    if (items++ % STEP_ITEMS === 0) yield
    const { from, to, amount, contract } = transfer
    const asset = findAsset(chain, contract)
    if (asset === undefined || uncountedReason(chain, transfer) !== null) continue
    const weight = (amount * 1_000_000n) / asset.dust
    if (of.has(from)) weights.set(to, (weights.get(to) ?? 0n) + weight)
    if (of.has(to)) weights.set(from, (weights.get(from) ?? 0n) + weight)
  }
  return [...weights]
    .sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1))
    .map(([one]) => one)
}

/** Groups the addresses so that each query reads a bounded number of transfers. */
function* readsOf(all: readonly string[], sizes: ReadonlyMap<string, number>): Generator<readonly string[]> {
  let addresses: string[] = []
  let transfers = 0
  for (const one of all) {
    const count = sizes.get(one)!
    if (addresses.length > 0 && transfers + count > TRANSFERS_PER_READ) {
      yield addresses
      addresses = []
      transfers = 0
    }
    addresses.push(one)
    transfers += count
  }
  if (addresses.length > 0) yield addresses
}
