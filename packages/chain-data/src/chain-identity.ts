/**
 * Proofs that a provider serves a chain: chain id, coin name, or the hash of a block that only this chain has. Chains that split share
 * their first blocks, so their landmark is the first block after the split.
 */
import type { ChainCode } from '@cupel/domain'
import { ProviderError } from './provider-error.js'

export interface Landmark {
  readonly height: number
  /** Lowercase; with 0x on EVM chains. */
  readonly hash: string
}

/** Chains without a landmark need a protocol that names the chain. */
export const landmarks: Readonly<Partial<Record<ChainCode, Landmark>>> = {
  BTC: { height: 478_559, hash: '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148' },
  BCH: { height: 556_767, hash: '0000000000000000004626ff6e3b936941d341c5932ece4357eeccac44e6d56c' },
  BSV: { height: 556_767, hash: '000000000000000001d956714215d96ffc00e0afda4cd0a96c96f8d802b1662b' },
  LTC: { height: 0, hash: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2' },
  DOGE: { height: 0, hash: '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691' },
  DASH: { height: 0, hash: '00000ffd590b1485b3caadc19b22e6379c733355108f107a430458cdf3407ab6' },
  ZEC: { height: 0, hash: '00040fe8ec8471911baa1db1266ea15dd06b4a8a5c453883c000b031973dce08' },
  ETH: { height: 1_920_000, hash: '0x4985f5ca3d2afbec36529aa96f74de3cc10a2a4a6c44f2157a57d2c6059a11bb' },
  ETC: { height: 1_920_000, hash: '0x94365e3a8c0b35089c1d1195081fe7489b528a84b22199c916180db8b28ade7f' },
  BSC: { height: 0, hash: '0x0d21840abff46b96c84b2ac9e10e4f5cdaeb5693cb665db62a2f3b02d2d57b5b' },
  MATIC: { height: 0, hash: '0xa9c28ce2141b56c474f1dc504bee9b01eb1bd7d1a507580d5519d4437a97de1b' },
  ARB: { height: 0, hash: '0x7ee576b35482195fc49205cec9af72ce14f003b9ae69f6ba0faef4514be8b442' },
  OP: { height: 0, hash: '0x7ca38a1916c42007829c55e69d3e9a73265554b586a499015373241b8a3fa48b' },
  BASE: { height: 0, hash: '0xf712aa9241cc24369b143cf6dce85f0902a9731e70d66818a3a5845b296c73dd' },
  GNO: { height: 0, hash: '0x4f1dd23188aab3a76b463e4af801b52b1248ef073c648cbdc4c9333d3da79756' },
  TRX: { height: 0, hash: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc' },
}

/** Genesis hash of the main cluster. */
export const SOLANA_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

/** The landmark of a chain, for protocols that do not name the chain. Throws a RangeError if it has none. */
export function landmarkOf(chain: ChainCode): Landmark {
  const landmark = landmarks[chain]
  if (landmark === undefined) throw new RangeError(`${chain} has no landmark by which to know it`)
  return landmark
}

/** A landmark is checked again after this: a host may serve another chain later. */
const TRUSTED_FOR_MS = 10 * 60_000

export interface ChainCheck {
  /** Rejects with wrong_chain if the provider serves another chain; queries it at most once in ten minutes. */
  confirm(readHash: () => Promise<string>, now: number): Promise<void>
}

/** Remembers that the provider showed the landmark. */
export function createChainCheck({ hash }: Landmark): ChainCheck {
  let confirmedAt = -Infinity
  return {
    async confirm(readHash, now) {
      if (now - confirmedAt < TRUSTED_FOR_MS) return
      if ((await readHash()).toLowerCase() !== hash)
        throw new ProviderError('wrong_chain', 'the provider serves another chain')
      confirmedAt = now
    },
  }
}

/** Longest normal pause between two blocks; if the newest block is older, the provider has fallen behind. */
const MAX_HEAD_AGE_S = 2 * 3_600
/** Chains with proof of work have hours without a block. */
const MAX_PROOF_OF_WORK_HEAD_AGE_S = 6 * 3_600
const MAX_HEAD_AHEAD_S = 2 * 3_600 + 60

/** Throws `stale` for a provider whose newest block is too old or in the future. Seconds since 1970. */
export function refuseStaleHead(occurredAtS: number, nowMs: number, isProofOfWork = false): void {
  const ageS = nowMs / 1_000 - occurredAtS
  const maxAgeS = isProofOfWork ? MAX_PROOF_OF_WORK_HEAD_AGE_S : MAX_HEAD_AGE_S
  if (ageS > maxAgeS || ageS < -MAX_HEAD_AHEAD_S)
    throw new ProviderError('stale', `the newest block is ${Math.round(ageS / 60)} minutes old`)
}
