/** Opens the adapter of a configured provider. */
import { chainOf, listAssets, type ChainCode } from '@cupel/domain'
import type { ProviderConfig, ProviderKind } from './configuration.js'
import type { ChainProvider, KnownToken } from './provider.js'
import { blockbookProvider } from './providers/blockbook.js'
import { esploraProvider } from './providers/esplora.js'
import { etherscanProvider } from './providers/etherscan.js'
import { evmRpcProvider } from './providers/evm-rpc.js'
import { solanaRpcProvider } from './providers/solana-rpc.js'
import { tronGridProvider } from './providers/trongrid.js'

interface Ground {
  readonly chain: ChainCode
  readonly tokens: readonly KnownToken[]
  readonly multichain: boolean
  readonly now: () => number
}

const adapters: Readonly<Record<ProviderKind, (ground: Ground) => ChainProvider>> = {
  'evm-rpc': ({ chain, tokens, now }) => evmRpcProvider({ chain, chainId: chainIdOf(chain), tokens, now }),
  etherscan: ({ chain, multichain, now }) =>
    etherscanProvider({ chain, chainId: multichain ? chainIdOf(chain) : null, now }),
  esplora: ({ chain, now }) => esploraProvider({ chain, now }),
  blockbook: ({ chain, now }) => blockbookProvider({ chain, now }),
  trongrid: ({ tokens, now }) => tronGridProvider({ tokens, now }),
  'solana-rpc': ({ tokens }) => solanaRpcProvider({ tokens }),
}

/** The adapter of a configured provider. */
export function adapterOf(
  { kind, chain, multichain }: Pick<ProviderConfig, 'kind' | 'chain' | 'multichain'>,
  now: () => number,
): ChainProvider {
  return adapters[kind]({ chain, multichain, now, tokens: knownTokens(chain) })
}

export function chainIdOf(chain: ChainCode): number {
  const { chainId } = chainOf(chain)
  if (chainId === null) throw new Error(`unsupported_chain: ${chain} has no chain id`)
  return chainId
}

/** Tokens of the asset table on a chain. */
export function knownTokens(chain: ChainCode): readonly KnownToken[] {
  return listAssets().filter((asset) => asset.chain === chain && asset.contract !== '')
}
