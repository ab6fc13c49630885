/** Names what a decision does not know by its nature, so that a reader does not take silence for an answer. */
import type { ClusterRecord, ExposureRecord } from '@cupel/contracts'
import { chainFactsOf } from '../tables/chain-table.js'

export const notExaminedItems = ['cross_chain', 'internal_transfers', 'clusters', 'amounts'] as const
export type NotExamined = (typeof notExaminedItems)[number]

/**
 * The words for `coverage.not_examined`, in a fixed order. `cross_chain`: value is not followed from one chain to another.
 * `internal_transfers`: no traces of contract calls are here. `clusters`: the owner's other addresses are not known. `amounts`: the
 * chain hides them.
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
  const hasTraces = ledgerWasRead && exposure.ranges.some(({ kind }) => kind === 'internal')
  const clustersWereRead = facts?.spendsTogether === true && ledgerWasRead && (cluster?.stopped ?? '') === ''
  return [
    'cross_chain',
    ...(facts?.hasInternalTransfers === true && !hasTraces ? ['internal_transfers' as const] : []),
    ...(clustersWereRead ? [] : ['clusters' as const]),
    ...(facts?.hidesAmounts === true ? ['amounts' as const] : []),
  ]
}
