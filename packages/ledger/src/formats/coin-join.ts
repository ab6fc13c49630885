/**
 * CoinJoins: transactions of several owners with equal outputs and no direct payments. Value goes into a node and comes out of it. Source
 * of the idea: Maxwell (2013), "CoinJoin: Bitcoin privacy for the real world".
 */

const LEAST_EQUAL = 3
/** This many equal outputs are a CoinJoin, whatever other outputs the transaction contains. */
const MANY_EQUAL = 10

/**
 * Whether a transaction that spends from `inputs` distinct addresses is a CoinJoin. Each equal output needs an owner of its own: one who pays
 * ten others the same amount makes no join.
 */
export function isCoinJoin(inputs: number, outputs: readonly { readonly value: bigint }[]): boolean {
  if (inputs < LEAST_EQUAL || outputs.length < LEAST_EQUAL) return false
  const equal = new Map<bigint, number>()
  for (const { value } of outputs) if (value > 0n) equal.set(value, (equal.get(value) ?? 0) + 1)
  return [...equal.values()].some(
    (n) => inputs >= n && (n >= MANY_EQUAL || (n >= LEAST_EQUAL && outputs.length <= 2 * n + 1)),
  )
}

/**
 * The address that represents a transaction: `coinjoin`, or `crowd` for one with so many inputs and outputs that it does not show who paid
 * whom.
 */
export const nodeOf = (kind: 'coinjoin' | 'crowd', txHash: string): string => `${kind}:${txHash}`

/** A node behind which transfers cannot be followed. */
export const isCrowd = (address: string): boolean => address.startsWith('crowd:')
