/** Builds chain data facts for tests: an answer of exactly one block, with the changes of a test. */
import type { ChainFact } from '@cupel/contracts'

export function chainFact(changes: Partial<ChainFact> = {}): ChainFact {
  return {
    chain: 'ETH',
    provider: 'own-node',
    request: 'state of the address at one block',
    height: '15000000',
    blockHash: '0x9a71a95be3fe957457b11817587e5af4c7e24836d5b383c430ff25b9286a457f',
    fetchedAt: '2026-11-21T08:59:00.000Z',
    balanceBaseUnits: '1700000000000000',
    txCount: 1430,
    txCountKind: 'outgoing',
    isContract: false,
    tokens: [{ asset: 'USDT', amountBaseUnits: '5000000000000', decimals: 6 }],
    responseSha256: 'b'.repeat(64),
    error: null,
    ...changes,
  }
}

export function failedFact(error: string, provider = 'explorer'): ChainFact {
  return chainFact({
    provider,
    height: null,
    blockHash: null,
    balanceBaseUnits: null,
    txCount: null,
    txCountKind: null,
    isContract: null,
    tokens: [],
    responseSha256: '',
    error,
  })
}
