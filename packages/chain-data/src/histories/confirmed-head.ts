/**
 * The head of a history: the newest block that is unlikely to be replaced. What is read is kept, so a block that is replaced later would
 * leave transfers behind that never happened.
 */
import type { ChainCode } from '@cupel/domain'

/** Blocks on top of the head, for about the time in which reorganisations end. */
const confirmations: Readonly<Partial<Record<ChainCode, number>>> = {
  BTC: 2,
  BCH: 2,
  BSV: 2,
  LTC: 6,
  DASH: 6,
  ZEC: 12,
  DOGE: 20,
  ETH: 12,
  ETC: 60,
  BSC: 20,
  MATIC: 64,
  TRX: 20,
}
const OTHER_CONFIRMATIONS = 32

/** The height of the head below the newest block. */
export const confirmedHeight = (chain: ChainCode, newest: number): number =>
  Math.max(0, newest - (confirmations[chain] ?? OTHER_CONFIRMATIONS))
