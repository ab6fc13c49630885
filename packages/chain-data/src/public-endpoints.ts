/** Endpoints that need no key. They are queried only if the operator allows it: they learn which addresses are screened. */
import { chainOf } from '@cupel/domain'
import type { ProviderConfig } from './configuration.js'

type PublicEndpoint = Pick<ProviderConfig, 'name' | 'kind' | 'chain'> & { readonly url: string }

const endpoints: readonly PublicEndpoint[] = [
  { name: 'blockstream.info', kind: 'esplora', chain: 'BTC', url: 'https://blockstream.info/api' },
  { name: 'litecoinspace.org', kind: 'esplora', chain: 'LTC', url: 'https://litecoinspace.org/api' },
  { name: 'eth.publicnode', kind: 'evm-rpc', chain: 'ETH', url: 'https://ethereum-rpc.publicnode.com' },
  { name: 'bsc.publicnode', kind: 'evm-rpc', chain: 'BSC', url: 'https://bsc-rpc.publicnode.com' },
  {
    name: 'polygon.publicnode',
    kind: 'evm-rpc',
    chain: 'MATIC',
    url: 'https://polygon-bor-rpc.publicnode.com',
  },
  {
    name: 'arbitrum.publicnode',
    kind: 'evm-rpc',
    chain: 'ARB',
    url: 'https://arbitrum-one-rpc.publicnode.com',
  },
  { name: 'optimism.publicnode', kind: 'evm-rpc', chain: 'OP', url: 'https://optimism-rpc.publicnode.com' },
  { name: 'base.publicnode', kind: 'evm-rpc', chain: 'BASE', url: 'https://base-rpc.publicnode.com' },
  { name: 'gnosis.publicnode', kind: 'evm-rpc', chain: 'GNO', url: 'https://gnosis-rpc.publicnode.com' },
  { name: 'trongrid', kind: 'trongrid', chain: 'TRX', url: 'https://api.trongrid.io' },
  { name: 'solana.mainnet', kind: 'solana-rpc', chain: 'SOL', url: 'https://api.mainnet-beta.solana.com' },
]

export const publicProviders: readonly ProviderConfig[] = endpoints.map(({ url, ...endpoint }) => ({
  ...endpoint,
  url: new URL(url),
  headers: {},
  query: {},
  multichain: false,
}))

/** One line for each public endpoint, with its chain. */
export function describePublicProviders(): readonly string[] {
  return publicProviders.map(({ chain, url, kind }) => `${chainOf(chain).name}: ${url.origin} (${kind})`)
}
