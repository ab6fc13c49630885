/**
 * Transactions in the form of a CoinJoin whose inputs have one owner: they are one cluster, by other transactions, or their labels name one
 * entity. Nobody was mixed, so each input pays its share of each output, as in any other transaction.
 */
import { isCoinJoinNode, type Attribution, type Transfer } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import type { Attributions } from './attributions.js'
import { readClusters } from './clusters.js'
import type { ExamineRequest } from './examine-request.js'
import { rested, type Pace } from './pace.js'
import { readTransfers } from './read-transfers.js'

export interface JointTransactions {
  /** The transfers of an address, with the payments of inputs of one owner in place of those to and from a node. */
  withoutNodes(address: string, transfers: readonly Transfer[]): Promise<readonly Transfer[]>
}

/** Beyond this many inputs and outputs a transaction stays a node, as at import. */
const MAX_TRANSFERS = 10_000

export function createJointTransactions(
  database: Queryable,
  request: ExamineRequest,
  { attributions, pace }: { readonly attributions: Attributions; readonly pace: Pace },
): JointTransactions {
  /** By node, the payments of each transaction of one owner; empty for a CoinJoin. */
  const paymentsOf = new Map<string, readonly Transfer[]>()

  async function learn(nodes: readonly string[]): Promise<void> {
    const unknown = nodes.filter((one) => !paymentsOf.has(one))
    if (unknown.length === 0) return
    await rested(pace)
    const read = await readTransfers(database, { ...request, addresses: unknown, limit: MAX_TRANSFERS, pace })
    for (const node of unknown) {
      const { transfers = [], isCut = true } = read.get(node) ?? {}
      const inputs = transfers.filter(({ to }) => to === node)
      const isOwned = !isCut && (await haveOneOwner(inputs.map(({ from }) => from)))
      const outputs = isOwned ? transfers.filter(({ from }) => from === node) : []
      paymentsOf.set(node, payments(inputs, outputs))
    }
  }

  async function haveOneOwner(inputs: readonly string[]): Promise<boolean> {
    if (inputs.length === 0 || inputs.includes('')) return false
    await attributions.learnThese(inputs)
    const entities = new Set(inputs.map((one) => entityOf(attributions.of(one))))
    if (entities.size === 1 && !entities.has('')) return true
    const maxAddresses = request.policy.document.cluster.addresses
    const clusters = await readClusters(database, { ...request, addresses: inputs, maxAddresses })
    return inputs.every((one) => clusters.get(inputs[0]!)?.has(one) === true)
  }

  return {
    async withoutNodes(address, transfers) {
      const nodes = [...new Set(transfers.flatMap(({ from, to }) => [from, to]))].filter(isCoinJoinNode)
      if (nodes.length === 0) return transfers
      await learn(nodes)
      const owned = nodes.filter((one) => paymentsOf.get(one)!.length > 0)
      return [
        ...transfers.filter(({ from, to }) => !owned.includes(from) && !owned.includes(to)),
        ...owned.flatMap((one) =>
          paymentsOf.get(one)!.filter(({ from, to }) => from === address || to === address),
        ),
      ]
    },
  }
}

/** The entity that the labels of an address name; empty without one, or with several. */
function entityOf({ sources, clean }: Attribution): string {
  const entities = new Set(
    [...sources, ...(clean === null ? [] : [clean])].map(({ label }) => label?.entity ?? ''),
  )
  return entities.size === 1 ? [...entities][0]! : ''
}

/** Each input pays its share of each output. */
function payments(inputs: readonly Transfer[], outputs: readonly Transfer[]): readonly Transfer[] {
  const total = inputs.reduce((sum, { amount }) => sum + amount, 0n)
  return outputs.flatMap((output) =>
    inputs.flatMap((input) => {
      const amount = (input.amount * output.amount) / total
      const id = input.id.slice(0, ID_DIGITS / 2) + output.id.slice(0, ID_DIGITS / 2)
      return amount === 0n ? [] : [{ ...output, id, from: input.from, amount, coinJoin: false }]
    }),
  )
}

const ID_DIGITS = 32
