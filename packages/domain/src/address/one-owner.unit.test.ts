/** A designation reaches every written form of a key, in every chain that has one. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GENERATED_AT, ofacLabel, ofacSet, PUBLISHED_AT } from '../../test/judgement-builders.js'
import { compiledDefaultPolicy, decideScreening } from '../scorer/index.js'
import { encodeBase58Check } from './base58-addresses.js'
import { encodeSegwit } from './bech32-addresses.js'
import { chains } from './chain-formats.js'
import { parseAddress } from './parse-address.js'
import { writtenForms } from './written-forms.js'

/** One address of the key for each family: secp256k1 keys as Bitcoin hashes them, and as Ethereum does. */
const families = [
  (hash: Uint8Array) => ({ chain: 'BTC', address: encodeSegwit('bc', 0, hash) }),
  (hash: Uint8Array) => ({ chain: 'TRX', address: encodeBase58Check(Uint8Array.from([0x41, ...hash])) }),
]

interface Form {
  readonly chain: string
  readonly address: string
}

const allForms = ({ chain: of, address }: Form): readonly Form[] =>
  chains.flatMap(({ code: chain }) =>
    writtenForms(address, of, chain).map((form) => ({ chain, address: form })),
  )

function keyOf({ chain, address }: Form): string {
  const parsed = parseAddress(address, chain)
  if (!parsed.ok) throw new Error(`${address} refused on ${chain}: ${parsed.reason}`)
  return parsed.lookupKey
}

function levelOf(screened: Form, labelled: Form): string {
  const { chain, address } = screened
  const designation = ofacLabel({ chain: labelled.chain, address: labelled.address })
  const decision = decideScreening({
    snapshot: {
      ...{ labelSetSeq: 1, labelView: 'current', labelsAsOf: PUBLISHED_AT, labelSets: [ofacSet()] },
      labels: keyOf(screened) === keyOf(labelled) ? [designation] : [],
    },
    policy: compiledDefaultPolicy,
    generatedAt: GENERATED_AT,
    request: {
      ...{ reportId: '9f2c4a1be07d6358', accountId: 'account-1', livemode: true, address, chain },
      ...{ canonicalAddress: address, candidateChains: [], customerReference: null },
      ...{ reportUrl: 'https://reports.example/1', jobId: null, jobIndex: null },
    },
  })
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return decision.event.level
}

test('a sanctions label on one form of a key makes every other form red', () => {
  const hash = fc.uint8Array({ minLength: 20, maxLength: 20 })
  fc.assert(
    fc.property(hash, fc.constantFrom(...families), fc.nat(), fc.nat(), (bytes, family, one, other) => {
      const forms = allForms(family(bytes))
      expect(forms.length).toBeGreaterThan(10)
      expect(levelOf(forms[one % forms.length]!, forms[other % forms.length]!)).toBe('red')
    }),
    { numRuns: 200 },
  )
})

test('every chain of a family has a form of its keys', () => {
  const [bitcoin, ethereum] = families.map((family) => [
    ...new Set(allForms(family(new Uint8Array(20).fill(7))).map(({ chain }) => chain)),
  ])
  expect(bitcoin).toEqual([
    'BTC',
    'LTC',
    'DOGE',
    'BCH',
    'DASH',
    'ZEC',
    'BSV',
    'BTG',
    'XVG',
    'XRP',
    'BNB',
    'ATOM',
  ])
  expect(ethereum).toEqual([
    ...chains.filter(({ family }) => family === 'evm').map(({ code }) => code),
    'TRX',
  ])
})
