/** Builds transfers for tests: ether from a stranger to an address of the caller, with the changes of a test. */
import type { TransferTerms } from '@cupel/contracts'
import { compiledDefaultPolicy, type TransferFacts } from '../src/index.js'
import { addressOf } from './exposure-builders.js'
import { ADDRESS } from './judgement-builders.js'

export const OWN = addressOf(77)

export function terms(changes: Partial<TransferTerms> = {}): TransferTerms {
  return {
    direction: 'incoming',
    ownAddress: OWN,
    ownCanonicalAddress: OWN,
    contract: '',
    symbolLies: false,
    amount: '2',
    txHash: `0x${'ab'.repeat(32)}`,
    seen: 'seen',
    ledgerSeq: 7,
    microUsd: null,
    pricedOn: null,
    ...{ toldBy: '', lookup: '', unstated: [] },
    ...changes,
  }
}

type Counterparty = TransferFacts['counterparty']

/** A green counterparty of which everything is known. */
export function transferFacts({
  counterparty = {},
  terms: termChanges = {},
  ...changes
}: {
  readonly counterparty?: Partial<Counterparty>
  readonly terms?: Partial<TransferTerms>
} & Partial<Omit<TransferFacts, 'counterparty' | 'terms'>> = {}): TransferFacts {
  return {
    chain: 'ETH',
    policy: compiledDefaultPolicy,
    own: { level: 'grey', isDesignated: false },
    terms: terms(termChanges),
    counterparty: {
      ...{ canonicalAddress: ADDRESS, level: 'green', isDesignated: false, scoreIsLowerBound: false },
      ...{ areListsComplete: true, missesStages: false, code: 'none', breakdown: [] },
      ...counterparty,
    },
    ...changes,
  }
}
