/** The interface of every adapter that reads the transfers of one address from a provider. */
import type { ChainCode, HistoryKind } from '@cupel/domain'
import type { ProviderHttp } from '../provider-http.js'

/** Bytes of one answer of a history: a page of large transactions exceeds the limit of a state. */
export const MAX_HISTORY_RESPONSE_BYTES = 8 * 1024 * 1024

/** Reads the whole history of one address from one provider. */
export interface HistorySource {
  /** Name of the configuration. */
  readonly provider: string
  readonly chain: ChainCode
  /** Kinds of transfers that the provider can give whole. */
  readonly kinds: readonly HistoryKind[]
  /** The ledger format of the lines, which are written as JSON lines. */
  readonly format: 'csv' | 'bitcoin-etl'
  /**
   * Reads the pages after `fromHeight` (exclusive; null: all), one page per step, and ends with the result. Throws ProviderError; a rate
   * limit is one. `http` counts the calls against the budget of the caller and throws if it is used up.
   */
  read(
    address: string,
    options: { readonly fromHeight: number | null; readonly http: ProviderHttp },
  ): AsyncGenerator<HistoryPage, HistoryEnd, undefined>
}

/** What a provider says before an address is named. */
export interface HistoryStart {
  readonly head: HistoryEnd['head']
  /** What every history of the provider lacks, with the kind that lacks it; without a kind, all do. */
  readonly lacks: readonly { readonly gap: HistoryGap; readonly kind?: HistoryKind }[]
}

/** A source that can be tested without an address. */
export interface CheckedHistorySource extends HistorySource {
  /** Head and gaps. Throws ProviderError, also for a provider of another chain or one that has fallen behind. */
  start(http: ProviderHttp): Promise<HistoryStart>
}

export interface HistoryPage {
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  /** Pages read so far. */
  readonly pages: number
  /** Null if the provider does not tell how many there are. */
  readonly pagesExpected: number | null
}

/**
 * What the pages together are. Whole only if every page of every kind was read, they do not contradict each other, and the head did not
 * change its past.
 */
export interface HistoryEnd {
  /** The newest block whose transfers were asked for: some blocks behind the newest one, which may still be replaced. */
  readonly head: { readonly height: number; readonly hash: string | null; readonly atS: number }
  /** Kinds that were read whole. */
  readonly kinds: readonly HistoryKind[]
  /** Named reasons, each once; empty if the history is whole. */
  readonly incomplete: readonly HistoryGap[]
}

/**
 * Why a history is not whole. `truncated`: the provider has more than it can be asked for. `contradicting_pages`: rows vanished, changed or
 * have another order. `reorganised`: the block of the head was replaced meanwhile. `unreadable_rows`: rows whose meaning is not certain.
 * `no_traces`, `no_tokens`: the provider does not give or prove calls or tokens.
 */
export type HistoryGap =
  | 'truncated'
  | 'contradicting_pages'
  | 'reorganised'
  | 'unreadable_rows'
  | 'no_traces'
  | 'no_tokens'
