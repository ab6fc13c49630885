/** The demo shows a path of money, says that it is made up, is never green, and touches no other address. */
import { readFileSync } from 'node:fs'
import type { ConsideredLabel, Report } from '@cupel/contracts'
import { expect, test } from 'vitest'
import {
  attribute,
  compiledDefaultPolicy,
  DEMO_SOURCE,
  demoAddresses,
  demoNeighbourhood,
  isDemoAddress,
  isExaminedInDemo,
  measureExposure,
  parseAddress,
  sandboxLabels,
  scoreScreening,
  withoutDemo,
  type LabelFacts,
  type LabelSetFacts,
} from '../index.js'

const AT = '2026-11-20T12:00:00.000Z'
const [CUSTOMER, SAVER, EXCHANGE] = demoAddresses.map(({ address }) => address) as [string, string, string]
const file = readFileSync(new URL('../../../../data/demo/labels.csv', import.meta.url), 'utf8')

const labels = file
  .trim()
  .split('\n')
  .slice(1)
  .map((line): LabelFacts => {
    const [address, chain, category, entity, source, sourceUrl, confidence] = line.split(',')
    return {
      ...{
        labelId: `${source}/${address}`,
        source,
        dataset: 'demo',
        chain,
        address,
        category,
        entity,
        sourceUrl,
      },
      ...{ subcategory: '', role: 'owner', origin: source, kind: 'provider', sanction: null },
      confidencePpm: Number(confidence) * 1_000_000,
      ...{ observedAt: '2026-01-01', validFrom: null, validTo: null, knownFrom: AT, knownTo: null },
    } as ConsideredLabel
  })

/** A whole list of an authority that is in force. */
const list = sandboxLabels(CUSTOMER, 'ETH', AT).labelSets[0]!
const demoSet: LabelSetFacts = {
  ...list,
  source: DEMO_SOURCE,
  dataset: 'demo',
  authorityOrigin: '',
  whole: false,
}

function screened(address: string, isOn = true): Report {
  const labelSets = isOn ? [list, demoSet] : [list]
  const own = isOn ? labels.filter((one) => one.address === address) : []
  const context = { chain: 'ETH', policy: compiledDefaultPolicy, labelSets, generatedAt: AT }
  const exposure = isExaminedInDemo({ chain: 'ETH', address, labelSets })
    ? measureExposure(
        { ...demoNeighbourhood(address, AT), ledgerSeq: 0, prices: null },
        {
          ...{ generatedAt: AT, policy: compiledDefaultPolicy },
          attributionOf: (of) =>
            attribute(
              labels.filter((one) => one.address === of),
              context,
            ),
        },
      )
    : null
  const event = scoreScreening({
    request: {
      ...{
        reportId: '0123456789abcdef',
        accountId: 'acc_1',
        livemode: true,
        address,
        canonicalAddress: address,
      },
      ...{ chain: 'ETH', candidateChains: [], customerReference: null, reportUrl: 'http://cupel.example' },
      ...{ jobId: null, jobIndex: null },
    },
    snapshot: { labelSetSeq: 1, labelView: 'current', labelsAsOf: AT, labelSets, labels: own },
    ...{ exposure, policy: compiledDefaultPolicy, originTableVersion: '1', generatedAt: AT },
  })
  return JSON.parse(event.report) as Report
}

test('the first address of the demo shows money from a mixer over a hop and money to a market', () => {
  const report = screened(CUSTOMER)
  expect(['orange', 'red']).toContain(report.risk.level)
  expect(report.demo).toBe(true)
  const used = report.risk.evidence.filter((one) => one.used)
  expect(used.map(({ category, direction }) => `${category} ${direction}`).sort()).toEqual([
    'darknet out',
    'mixer in',
  ])
  for (const { entity, source } of used) {
    expect(entity).toMatch(/^Demo .*\(made up\)$/)
    expect(source).toBe(DEMO_SOURCE)
  }
  expect(used.find(({ category }) => category === 'mixer')!.path.length).toBeGreaterThan(1)
  expect(report.coverage.exposure).toMatchObject({ status: 'complete', incomplete: [] })
})

test.each([SAVER, EXCHANGE])(
  'what would be green without the demo is grey with its name as the reason: %s',
  (address) => {
    expect(screened(address).risk).toMatchObject({ level: 'grey', level_reasons: ['demo_data'], score: 0 })
  },
)

test('nothing of the demo is believed while it is off', () => {
  for (const { address } of demoAddresses) {
    const report = screened(address, false)
    expect(report).not.toHaveProperty('demo')
    expect(report.risk).toMatchObject({ level: 'grey', evidence: [] })
    expect(report.exposure).toEqual([])
  }
})

test('labels of the demo say nothing of counterparties in real transfers', () => {
  const real = { ...labels[0]!, source: 'list' }
  expect(withoutDemo([...labels, real])).toEqual([real])
})

test('every label and every transfer is between addresses of the demo, and no address is repeated', () => {
  const known = new Set(demoAddresses.map(({ address }) => address))
  expect(known.size).toBe(demoAddresses.length)
  for (const { address, chain } of labels) expect(isDemoAddress(chain, address)).toBe(true)
  for (const { from, to } of demoNeighbourhood(CUSTOMER, AT).transfers) {
    expect(known).toContain(from)
    expect(known).toContain(to)
  }
  for (const address of known)
    expect(parseAddress(address, 'ETH')).toMatchObject({ ok: true, canonical: address })
  expect(isDemoAddress('BSC', CUSTOMER)).toBe(false)
})
