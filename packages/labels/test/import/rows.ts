/** Made-up rows of Cupel's label CSV, for tests. */

export const BTC = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'

/** An Ethereum address without an owner. */
export const evm = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`

export interface Row {
  address?: string
  chain?: string
  category?: string
  entity?: string
  source?: string
  url?: string
  confidence?: string
  date?: string
}
export const row = (r: Row): string =>
  [
    r.address ?? BTC,
    r.chain ?? 'BTC',
    r.category ?? 'scam',
    r.entity ?? 'Somebody',
    r.source ?? 'a_list',
    r.url ?? '',
    r.confidence ?? '0.8',
    r.date ?? '2026-01-01',
  ].join(',')
/** `count` labels of one source on EVM addresses, starting at `from`. */
export const rows = (source: string, count: number, rest: Row = {}, from = 1): string[] =>
  Array.from({ length: count }, (_, index) =>
    row({ address: evm(from + index), chain: 'ETH', source, ...rest }),
  )
