/** Names what a decision does not know by its nature, so that a reader does not take silence for an answer. */
import type { ClusterRecord, ExposureRecord } from '@cupel/contracts'
import { hasTokens } from '../tables/asset-table.js'
import { chainFactsOf } from '../tables/chain-table.js'

export const notExaminedItems = [
  'cross_chain',
  'internal_transfers',
  'tokens',
  'swaps',
  'beyond_hops',
  'clusters',
  'token_accounts',
  'amounts',
] as const
export type NotExamined = (typeof notExaminedItems)[number]

/**
 * The words for `coverage.not_examined`, in a fixed order. `cross_chain`: value is not followed from one chain to another.
 * `internal_transfers`: no traces of contract calls are here. `tokens`: no transfers of tokens are here. `swaps`: value is not followed from
 * one asset to another. `beyond_hops`: nor beyond the hops of the policy. `clusters`: the owner's other addresses are not known.
 * `token_accounts`: nor are those of accounts that hold tokens for an owner. `amounts`: the chain hides them.
 */
export function notExamined({
  chain,
  exposure,
  cluster,
}: {
  readonly chain: string
  readonly exposure: ExposureRecord | null
  readonly cluster: ClusterRecord | null
}): NotExamined[] {
  const facts = chainFactsOf(chain)
  const ledgerWasRead = exposure?.status === 'examined' || exposure?.status === 'absent'
  const hasRange = (of: string): boolean => ledgerWasRead && exposure.ranges.some(({ kind }) => kind === of)
  const isKnown: Readonly<Record<NotExamined, boolean>> = {
    cross_chain: false,
    internal_transfers: facts?.hasInternalTransfers !== true || hasRange('internal'),
    tokens: !hasTokens(chain) || hasRange('token'),
    swaps: !hasTokens(chain),
    beyond_hops: false,
    clusters: facts?.spendsTogether === true && ledgerWasRead && (cluster?.stopped ?? '') === '',
    token_accounts: facts?.family !== 'solana',
    amounts: facts?.hidesAmounts !== true,
  }
  return notExaminedItems.filter((item) => !isKnown[item])
}
