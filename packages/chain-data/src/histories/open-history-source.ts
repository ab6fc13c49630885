/** Opens the reader of histories of a configured provider. */
import type { ProviderConfig, ProviderKind } from '../configuration.js'
import { chainIdOf } from '../open-provider.js'
import { blockbookHistory } from './blockbook-history.js'
import { esploraHistory } from './esplora-history.js'
import { etherscanHistory } from './etherscan-history.js'
import type { CheckedHistorySource } from './history-source.js'
import { solanaHistory } from './solana-history.js'
import { tronGridHistory } from './trongrid-history.js'

type Config = Pick<ProviderConfig, 'name' | 'kind' | 'chain' | 'multichain'>
type Open = (config: Config, now: () => number) => CheckedHistorySource

const sources: Readonly<Partial<Record<ProviderKind, Open>>> = {
  etherscan: ({ name, chain, multichain }, now) =>
    etherscanHistory({ provider: name, chain, chainId: multichain ? chainIdOf(chain) : null, now }),
  esplora: ({ name, chain }, now) => esploraHistory({ provider: name, chain, now }),
  'solana-rpc': ({ name }, now) => solanaHistory({ provider: name, now }),
  trongrid: ({ name }, now) => tronGridHistory({ provider: name, now }),
  blockbook: ({ name, chain }, now) => blockbookHistory({ provider: name, chain, now }),
}

/** Null if a provider of the kind cannot give histories. `now` is in milliseconds since 1970. */
export function openHistorySource(config: Config, now: () => number = Date.now): CheckedHistorySource | null {
  return sources[config.kind]?.(config, now) ?? null
}
