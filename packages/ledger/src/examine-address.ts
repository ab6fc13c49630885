/** Examines an address on the ledger: reads its transfers, follows them, and measures the exposure. */
import { createHash } from 'node:crypto'
import type { ExposureRecord } from '@cupel/contracts'
import {
  isExaminedInDemo,
  measureInSteps,
  type DeclaredRange,
  type Neighbourhood,
  type TextHash,
  type Transfer,
  withoutDemo,
} from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { addressHistories } from './address-histories.js'
import { createAttributions } from './attributions.js'
import { examineDemo } from './examine-demo.js'
import type { ExamineRequest } from './examine-request.js'
import { createJointTransactions } from './joint-transactions.js'
import { createKnownTransfers, type KnownTransfers } from './known-transfers.js'
import { ownedAddresses } from './owners.js'
import { paced, withoutRest, type Pace } from './pace.js'
import { readBundles } from './read-bundles.js'
import { readTransfers, type TransfersOfAddress } from './read-transfers.js'
import { createSearch } from './search.js'
import { declaredRanges } from './segments.js'
import type { KnownSizes } from './sizes.js'
import { MAX_UNKNOWN_TOKENS, readUnknownTokens } from './unknown-tokens.js'

/** Rows that the caller has already read, for a whole batch of addresses. */
export interface ReadBefore {
  readonly own: TransfersOfAddress
  readonly ranges: readonly DeclaredRange[]
  /** False only if no file of the chain is what a provider said of one address. */
  readonly hasHistories?: boolean
}

export interface ExamineOptions {
  readonly before?: ReadBefore
  /** Decides when the examination pauses or is abandoned; by default it runs to its end. */
  readonly pace?: Pace
  /** Is told what the search went through. */
  readonly onSearched?: (searched: Searched) => void
  /** Caches shared by examinations. */
  readonly knownSizes?: KnownSizes
  readonly knownTransfers?: KnownTransfers
}

export interface Searched {
  /** The addresses that were followed, those of most value first. */
  readonly followed: readonly string[]
  /** The times, in seconds since 1970, up to which providers told of them and of the address itself. */
  readonly historiesAtS: readonly number[]
}

/** Measures the exposure of an address in one state of ledger and labels. */
export async function examineAddress(
  database: Queryable,
  request: ExamineRequest,
  options: ExamineOptions = {},
): Promise<ExposureRecord> {
  if (isExaminedInDemo(request))
    return await examineDemo(database, request, { pace: options.pace ?? withoutRest, textHash: sha256() })
  const labelsOf: ExamineRequest['labelsOf'] = async (keys) => {
    const labels = await request.labelsOf(keys)
    return new Map([...labels].map(([key, own]) => [key, withoutDemo(own)]))
  }
  return await examineReal(database, { ...request, labelsOf }, options)
}

async function examineReal(
  database: Queryable,
  request: ExamineRequest,
  {
    before,
    pace = withoutRest,
    knownSizes = new Map(),
    knownTransfers = createKnownTransfers(),
    onSearched,
  }: ExamineOptions = {},
): Promise<ExposureRecord> {
  const { chain, address, ledgerSeq, policy, generatedAt } = request
  const limit = policy.exposure.document.limits.transfers
  const found =
    before?.own ?? (await readTransfers(database, { ...request, addresses: [address], limit })).get(address)
  const ranges = before?.ranges ?? (await declaredRanges(database, { chain, ledgerSeq }))
  const attributions = createAttributions(database, request, pace)
  const joints = createJointTransactions(database, request, { attributions, pace })
  const search = createSearch(database, request, { attributions, joints, pace, knownSizes, knownTransfers })
  const transfers = new Map(
    (await joints.withoutNodes(address, found?.transfers ?? [])).map((one) => [one.id, one]),
  )
  const ownIds = new Set(transfers.keys())
  const unknownTokens =
    transfers.size === 0 ? [] : await readUnknownTokens(database, { chain, ledgerSeq, address })
  const bundles =
    found?.isCut === true ? await readBundles(database, { chain, ledgerSeq, address, beyond: limit }) : []
  const tokens = [
    ...unknownTokens.flatMap(({ counterparty, contract }) => [counterparty, contract]),
    ...[...transfers.values(), ...bundles].map(({ contract }) => contract),
  ].filter((one) => one !== '')
  const followed = transfers.size === 0 ? [] : await search.follow(transfers, bundles, tokens)
  const isWhole = ({ from, to }: Transfer): boolean => search.whole.has(from === address ? to : from)
  for (const one of transfers.values())
    if ((one.from === address || one.to === address) && isWhole(one)) ownIds.add(one.id)
  const histories: Pick<Neighbourhood, 'histories' | 'addressesOf'> =
    before?.hasHistories === false ? {} : await historiesAround(database, request, [address, ...followed])
  onSearched?.({ followed, historiesAtS: (histories.histories ?? []).map(({ atS }) => atS) })
  const measuring = measureInSteps(
    {
      chain,
      address,
      ledgerSeq,
      transfers: [...transfers.values()],
      bundles: bundles.filter((one) => !isWhole(one)),
      followed,
      cut: search.cut,
      truncated: (found?.isCut ?? false) || unknownTokens.length > MAX_UNKNOWN_TOKENS,
      ownIds,
      ranges,
      ...histories,
      prices: request.prices ?? null,
      netBaseUnits: found?.netBaseUnits ?? null,
      unknownTokens: unknownTokens.slice(0, MAX_UNKNOWN_TOKENS),
    },
    { attributionOf: attributions.of, generatedAt, policy, textHash: sha256() },
  )
  return await paced(measuring, pace)
}

/** What providers said of these nodes of the search, and of every address of theirs that the ledger knows. */
async function historiesAround(
  database: Queryable,
  { chain, ledgerSeq }: ExamineRequest,
  nodes: readonly string[],
): Promise<Pick<Neighbourhood, 'histories' | 'addressesOf'>> {
  // A provider of this chain answers for an owner, with its accounts.
  const isOfOwners = chain === 'SOL'
  const { addresses, ownedBy } = isOfOwners
    ? { addresses: nodes, ownedBy: nodes }
    : await ownedAddresses(database, { chain, ledgerSeq }, nodes)
  const addressesOf = new Map<string, string[]>()
  for (const [index, one] of addresses.entries())
    addressesOf.set(ownedBy[index]!, [...(addressesOf.get(ownedBy[index]!) ?? []), one])
  return { histories: await addressHistories(database, { chain, ledgerSeq, addresses }), addressesOf }
}

function sha256(): TextHash {
  const hash = createHash('sha256')
  return { update: (text) => void hash.update(text), hex: () => hash.digest('hex') }
}
