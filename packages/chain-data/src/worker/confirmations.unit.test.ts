import { expect, test } from 'vitest'
import type { TransferTerms } from '@cupel/contracts'
import { createConfirmations, type AskedTransfer, type ConfirmationsDeps } from './confirmations.js'

const MINUTE_MS = 60_000
const [OWN, OTHER] = [
  '0x098b716b8aaf21512996dc57eb0615e2383e2f96',
  '0x00000000219ab540356cbb839cbe05303d7705fa',
]

function asked(accountId: string, at: number): AskedTransfer {
  const terms = {
    ...{
      contract: '',
      amount: '1',
      direction: 'incoming',
      ownCanonicalAddress: OWN,
      seen: 'not_seen',
      unstated: [],
    },
    txHash: `0x${at.toString(16).padStart(64, '0')}`,
  }
  const place = { accountId, chain: 'ETH', address: OTHER }
  return { place, terms: terms as unknown as TransferTerms } as AskedTransfer
}

test('questions of one account to a silent provider leave places for those of another account', async () => {
  let answer = (): void => undefined
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const confirm = async (): Promise<string> => {
    await answered
    return 'seen'
  }
  const sources = [{ source: { provider: 'silent', confirm }, http: () => null }]
  const confirmations = createConfirmations({
    histories: { transactionsOf: () => sources, mustAgree: () => false },
    ...{ turnsOf: () => () => Promise.resolve(), now: () => new Date() },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  } as unknown as ConfirmationsDeps)
  const greedy = Array.from({ length: 1_000 }, (_, at) => confirmations.ask(asked('greedy', at), MINUTE_MS))
  const others = Array.from({ length: 20 }, (_, at) => confirmations.ask(asked(`other-${at}`, at), MINUTE_MS))
  answer()
  const told = await Promise.all(greedy)
  expect(new Set(told.map(({ lookup }) => lookup))).toEqual(new Set(['', 'busy']))
  expect((await Promise.all(others)).map(({ seen }) => seen)).toEqual(others.map(() => 'seen'))
})
