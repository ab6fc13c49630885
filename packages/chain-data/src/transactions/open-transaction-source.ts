/** Opens the reader of transactions of a configured provider. */
import type { ProviderConfig, ProviderKind } from '../configuration.js'
import { blockbookTransactions } from '../histories/blockbook-history.js'
import { esploraTransactions } from '../histories/esplora-history.js'
import { chainIdOf } from '../open-provider.js'
import { etherscanTransactions, evmRpcTransactions } from './evm-transaction.js'
import { solanaTransactions } from './solana-transaction.js'
import { tronTransactions } from './tron-transaction.js'
import type { TransactionSource } from './transaction-source.js'

type Config = Pick<ProviderConfig, 'name' | 'kind' | 'chain' | 'multichain'>
type Open = (config: Config, now: () => number) => TransactionSource

const sources: Readonly<Partial<Record<ProviderKind, Open>>> = {
  'evm-rpc': ({ name, chain }, now) =>
    evmRpcTransactions({ provider: name, chain, chainId: chainIdOf(chain), now }),
  etherscan: ({ name, chain, multichain }, now) =>
    etherscanTransactions({ provider: name, chain, chainId: multichain ? chainIdOf(chain) : null, now }),
  esplora: ({ name, chain }, now) => esploraTransactions({ provider: name, chain, now }),
  trongrid: ({ name }, now) => tronTransactions({ provider: name, now }),
  'solana-rpc': ({ name }, now) => solanaTransactions({ provider: name, now }),
  blockbook: ({ name, chain }, now) => blockbookTransactions({ provider: name, chain, now }),
}

/** Null if a provider of the kind does not tell single transactions. `now` is in milliseconds since 1970. */
export function openTransactionSource(
  config: Config,
  now: () => number = Date.now,
): TransactionSource | null {
  return sources[config.kind]?.(config, now) ?? null
}
