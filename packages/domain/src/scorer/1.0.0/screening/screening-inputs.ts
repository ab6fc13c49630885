/** Everything a screening is decided from, and nothing else: no clock, no randomness, no configuration. */
import type { ExposureRecord, HistoryReading, TransferTerms } from '@cupel/contracts'
import type { ChainInputs } from '../chain-facts/chain-inputs.js'
import type { ClusterFacts } from '../risk/cluster.js'
import type { LabelFacts, LabelSetFacts, LabelViewState } from '../risk/label-facts.js'
import type { CompiledPolicy } from '../risk/policy.js'

/** The request as accepted: what of it appears in the report or in the event. */
export interface ScreeningRequest {
  readonly reportId: string
  readonly accountId: string
  readonly livemode: boolean
  /** Exactly as the caller sent it. */
  readonly address: string
  readonly canonicalAddress: string
  readonly chain: string
  readonly candidateChains: readonly string[]
  readonly customerReference: string | null
  readonly reportUrl: string
  readonly jobId: string | null
  readonly jobIndex: number | null
  /** The transfer whose counterparty the address is; absent or null where an address is screened by itself. */
  readonly transfer?: TransferTerms | null
}

/** The labels of one address and the state of all sets, read in one snapshot. */
export interface ScreeningSnapshot {
  /** Names the state of all labels: the number of the newest published set. */
  readonly labelSetSeq: number
  readonly labelView: LabelViewState
  /** UTC time of the newest publication; empty where no set was ever published. */
  readonly labelsAsOf: string
  /** The published version of every set. */
  readonly labelSets: readonly LabelSetFacts[]
  /** Every label under the address's look-up key, ended ones too, on every chain. */
  readonly labels: readonly LabelFacts[]
}

/** The fields of a request, taken from an event that may have more: a decision never records what an event adds later. */
export function screeningRequest(from: ScreeningRequest): ScreeningRequest {
  return {
    reportId: from.reportId,
    accountId: from.accountId,
    livemode: from.livemode,
    address: from.address,
    canonicalAddress: from.canonicalAddress,
    chain: from.chain,
    candidateChains: from.candidateChains,
    customerReference: from.customerReference,
    reportUrl: from.reportUrl,
    jobId: from.jobId,
    jobIndex: from.jobIndex,
    transfer: from.transfer ?? null,
  }
}

/** What is known of the address on one chain. */
export interface ChainFindings {
  readonly chain: string
  /** The canonical form on this chain. */
  readonly canonicalAddress: string
  /** Every label under the look-up keys that the address has on this chain. */
  readonly labels: readonly LabelFacts[]
  readonly chainInputs?: ChainInputs
  readonly exposure?: ExposureRecord | null
  readonly cluster?: ClusterFacts | null
}

export interface ScreeningInputs {
  readonly request: ScreeningRequest
  readonly snapshot: ScreeningSnapshot
  /** What providers of chain data said; absent where none is configured. */
  readonly chainInputs?: ChainInputs
  /** How far the history of the address was read; null where no provider is asked for it. */
  readonly historyReading?: HistoryReading | null
  /** What the ledger said; null where there is none. */
  readonly exposure?: ExposureRecord | null
  /** Addresses that spent together with the screened one, and their labels; null where there are none. */
  readonly cluster?: ClusterFacts | null
  /** What is known of the address on the other chains that are judged; absent where the caller named the chain. */
  readonly candidates?: readonly ChainFindings[]
  /** Every label of the own address of a transfer on its chain; absent where an address is screened by itself. */
  readonly ownAddressLabels?: readonly LabelFacts[]
  readonly policy: CompiledPolicy
  /** The table that classified the labels when they were imported. */
  readonly originTableVersion: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly generatedAt: string
}
