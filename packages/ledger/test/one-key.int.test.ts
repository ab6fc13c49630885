/** Addresses of one key are one owner: what one of them moved is found when another one is screened. */
import { compiledDefaultPolicy, parseAddress, writtenForms, type LabelFacts } from '@cupel/domain'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { currentLedger, examineAddress, readAddressFilter, readClusterFacts } from '../src/index.js'
import { bitcoinAddress, bitcoinKeyAddress } from './bitcoin-address.js'
import { csvOf, startLedger, type LedgerInstallation } from './installation.js'

const GENERATED_AT = '2026-11-21T09:00:00.000Z'
const COIN = 100_000_000
const [LISTED, OTHER, PAYEE] = [1, 2, 3].map(bitcoinAddress) as [string, string, string]
const formsOf = (n: number) => writtenForms(bitcoinKeyAddress(n), 'BTC', 'BTC') as [string, string, string]
/** `1…`, nested `3…` and `bc1q…` of one key. */
const FORMS = formsOf(1)
const MATE = formsOf(2)

let ledger: LedgerInstallation
beforeEach(async () => {
  ledger = await startLedger()
}, 60_000)
afterEach(async () => await ledger.close())

type Parts = readonly (readonly [owner: string, coins: number])[]
let transactions = 0
function spend(inputs: Parts, outputs: Parts): string {
  transactions += 1
  const parts = (of: Parts) => of.map(([owner, coins]) => ({ addresses: [owner], value: coins * COIN }))
  return JSON.stringify({
    ...{ hash: transactions.toString(16).padStart(64, '0'), block_number: transactions, index: 1 },
    timestamp: Date.parse('2026-01-01') / 1_000 + transactions * 3_600,
    ...{ inputs: parts(inputs), outputs: parts(outputs) },
  })
}
const imported = async (...lines: readonly string[]): Promise<void> =>
  void (await ledger.imported(await ledger.file('one.json', lines.join('\n')), {
    ...{ format: 'bitcoin-etl', chain: 'BTC' },
  }))

function keyOf(address: string): string {
  const parsed = parseAddress(address, 'BTC')
  if (!parsed.ok) throw new Error(address)
  return parsed.lookupKey
}

const label = (address: string): LabelFacts => ({
  ...{ labelId: address, subcategory: '', sanction: null, source: 'list', dataset: 'list', chain: 'BTC' },
  ...{ address, role: 'owner', category: 'sanctions', entity: 'Group', origin: 'list', kind: 'forensic' },
  ...{ confidencePpm: 900_000, sourceUrl: '', observedAt: null, validFrom: null, validTo: null },
  ...{ knownFrom: GENERATED_AT, knownTo: null },
})

const labelsOf =
  (...labels: readonly LabelFacts[]) =>
  async (keys: readonly string[]) =>
    new Map(
      labels.filter((one) => keys.includes(keyOf(one.address))).map((one) => [keyOf(one.address), [one]]),
    )

async function examined(address: string, ...labels: readonly LabelFacts[]) {
  const { ledgerSeq } = await currentLedger(ledger.database)
  return await examineAddress(ledger.database, {
    ...{ chain: 'BTC', address, ledgerSeq, policy: compiledDefaultPolicy, labelSets: [] },
    ...{ generatedAt: GENERATED_AT, labelsOf: labelsOf(...labels) },
  })
}

describe('what one address of a key moved is found when another is screened', () => {
  test('as value from and to a listed party, whichever addresses they are', async () => {
    for (const one of FORMS) await imported(spend([[LISTED, 1]], [[one, 1]]), spend([[one, 1]], [[LISTED, 1]])) // prettier-ignore
    for (const screened of FORMS) {
      const { measures } = await examined(screened, label(LISTED))
      expect(measures, screened).toMatchObject([
        { category: 'sanctions', relation: 'direct', direction: 'in', amount: `${3 * COIN}` },
        { category: 'sanctions', relation: 'direct', direction: 'out', amount: `${3 * COIN}` },
      ])
    }
  })

  test('and a payment from one to the other has no counterparty', async () => {
    await imported(spend([[FORMS[0], 1]], [[FORMS[1], 1]]))
    for (const screened of FORMS.slice(0, 2))
      expect((await examined(screened)).breakdown, screened).toEqual([])
  })

  test('and the filter of addresses holds every one of them', async () => {
    await imported(spend([[LISTED, 1]], [[FORMS[1], 1]]))
    const filter = await readAddressFilter(ledger.database, { ledgerSeq: 1, afterPage: async () => true })
    if (filter === null || filter === 'too many') throw new Error('There is no filter.')
    for (const one of FORMS) expect(filter.mayHold('BTC', one), one).toBe(true)
    expect(MATE.map((one) => filter.mayHold('BTC', one))).toEqual([false, false, false])
  })

  test('and the filter holds who spent nothing together with others', async () => {
    const [first, , third] = FORMS
    const text = csvOf(
      [first, MATE[0]].map((from, index) => ({
        ...{ from, to: PAYEE, block: 9, hash: 'f'.repeat(64), kind: 'utxo', raw: String(index * COIN) },
      })),
    )
    const file = await ledger.file('one.csv', text.replaceAll('ETH', 'BTC'))
    await ledger.imported(file, { chain: 'BTC' })
    const filter = await readAddressFilter(ledger.database, { ledgerSeq: 1, afterPage: async () => true })
    if (filter === null || filter === 'too many') throw new Error('There is no filter.')
    expect([first, third, ...MATE].map((one) => filter.mayHold('BTC', one))).toEqual(Array(5).fill(true))
  })

  test('but a provider tells the balance of the screened one', async () => {
    await imported(spend([[LISTED, 1]], [[FORMS[0], 1]]), spend([[LISTED, 2]], [[FORMS[2], 2]]))
    expect(await examined(FORMS[0])).toMatchObject({ netBaseUnits: `${COIN}` })
    expect(await examined(FORMS[2])).toMatchObject({ netBaseUnits: `${2 * COIN}` })
  })

  test('and a state before one of them came has only the others', async () => {
    await imported(spend([[LISTED, 1]], [[FORMS[2], 1]]))
    const before = await examined(PAYEE)
    await imported(spend([[LISTED, 1]], [[FORMS[0], 1]]))
    const request = { chain: 'BTC', policy: compiledDefaultPolicy, labelSets: [], generatedAt: GENERATED_AT }
    const then = await examineAddress(ledger.database, {
      ...{ ...request, ledgerSeq: before.ledgerSeq, address: FORMS[1], labelsOf: labelsOf(label(LISTED)) },
    })
    expect(then.measures).toMatchObject([{ amount: `${COIN}`, transfers: 1 }])
  })
})

test('money that comes to one address of a key and leaves from another is followed', async () => {
  await imported(spend([[LISTED, 1]], [[MATE[2], 1]]), spend([[MATE[0], 1]], [[PAYEE, 1]]))
  expect((await examined(PAYEE, label(LISTED))).measures).toMatchObject([
    { category: 'sanctions', relation: 'indirect', amount: `${COIN}` },
  ])
})

describe('addresses that spend together with addresses of one key', () => {
  /** One address of the key spends with the listed one, another with the payer. */
  const joined = () => [
    spend([[LISTED, 1], [MATE[0], 1]], [[OTHER, 2]]),
    spend([[MATE[2], 1], [FORMS[0], 1]], [[OTHER, 2]]),
    spend([[FORMS[0], 1]], [[PAYEE, 1]]),
  ] // prettier-ignore

  test('are one cluster, so that whom they paid has money of it', async () => {
    await imported(...joined())
    expect((await examined(PAYEE, label(LISTED))).measures).toMatchObject([
      { category: 'sanctions', relation: 'direct', isCluster: true },
    ])
  })

  test('are one cluster of each address, with the transaction that joined it', async () => {
    await imported(...joined())
    const request = { chain: 'BTC', ledgerSeq: 1, maxAddresses: 100, labelsOf: labelsOf(label(LISTED)) }
    for (const address of FORMS) {
      const cluster = await readClusterFacts(ledger.database, { ...request, address })
      expect(cluster?.labels, address).toMatchObject([
        { member: LISTED, txHash: expect.stringMatching(/^0+/) },
      ])
    }
  })

  test('do not exist if the addresses have only one key', async () => {
    await imported(
      spend(
        [
          [MATE[0], 1],
          [MATE[2], 1],
        ],
        [[PAYEE, 2]],
      ),
    )
    const request = { chain: 'BTC', ledgerSeq: 1, maxAddresses: 100, labelsOf: labelsOf() }
    expect(await readClusterFacts(ledger.database, { ...request, address: MATE[0] })).toBeNull()
  })
})
