/** Invented reports of every kind that a reader may meet, for the tests and measurements of the code that shows them. */
import { categories, type Evidence, type Report, reportExample } from '@cupel/contracts'

export const SAMPLE_ADDRESS = reportExample.address

/** Text that attacks a layout, a parser or a reader. */
export const hostileTexts: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '=HYPERLINK("http://evil.example","x")',
  '(Tj) ET Q endstream endobj %%EOF',
  '\\( \\) \\\\ <</JS (app.alert)>>',
  'abc\u202Etxt.exe',
  'zero\u200Bwidth\u0000null\u0007bell',
  'Группа Лазарь',
  'Ομάδα Λάζαρος',
  '拉撒路集团',
  'ラザルス グループ',
  '라자루스 그룹',
  'مجموعة لازاروس',
  'Ünïcödé ñ Ł ő',
  '𐍈 Gothic and 😀 emoji',
  `${'{'}{constructor.constructor("return 1")()}}`,
  '${7*7} $(id) `id` %s %n',
  '../../etc/passwd',
]

/** Evidence as an earlier scorer recorded it: without the numbers that it was weighed by. */
export function sampleEvidence(changes: Partial<Evidence> = {}): Evidence {
  const [example] = reportExample.risk.evidence
  return {
    ...example!,
    sanction: { ...example!.sanction!, aliases: ['Hidden Cobra', 'Guardians of Peace'] },
    ...{ base: null, factors: [], weight: null },
    ...changes,
  }
}

const addressOf = (number: number): string => `0x${number.toString(16).padStart(40, 'c')}`

export function sampleCounterparties(count: number, entity = ''): Evidence['counterparties'] {
  return Array.from({ length: count }, (_, index) => ({
    address: addressOf(index),
    entity: entity === '' ? '' : `${entity} ${index}`,
    ...{ source: '', source_url: '' },
    value: `${(count - index) * 10}.5 ETH`,
    value_usd: `${(count - index) * 30_000}.250000`,
    transfers: index + 1,
  }))
}

export function sampleExposureEvidence(changes: Partial<Evidence> = {}): Evidence {
  const transaction = `0x${'ab'.repeat(32)}`
  return sampleEvidence({
    category: 'mixer',
    relation: 'indirect',
    direction: 'in',
    hops: 2,
    entity: 'Tornado Cash',
    source: 'graphsense_tagpacks',
    source_url: 'https://github.com/graphsense/graphsense-tagpacks',
    origin: 'graphsense',
    role: 'owner',
    confidence: 0.8,
    sanction: null,
    value: '1204.5 ETH',
    value_usd: '3612000.123456',
    share: 0.4312,
    transfers: 12,
    sources: 3,
    first_at: '2024-01-02T03:04:05.000Z',
    last_at: '2025-11-12T13:14:15.000Z',
    counterparties: sampleCounterparties(3, 'Pool'),
    counterparties_omitted: { count: 4, value: '1.5 ETH', value_usd: null },
    path: [
      {
        from: addressOf(1),
        to: addressOf(2),
        transaction,
        block: 15_000_000,
        at: '2024-01-02T03:04:05.000Z',
        value: '10.5 ETH',
        execution: 'proven',
      },
      {
        from: addressOf(2),
        to: SAMPLE_ADDRESS,
        transaction,
        block: 15_000_001,
        at: null,
        value: '10.5 ETH',
        execution: 'unknown',
      },
    ],
    contribution: 61.25,
    decisive: false,
    pre_designation: false,
    ...changes,
  })
}

export function sampleExposure(direction: string, parts: number): Report['exposure'][number] {
  const names = [...categories, 'service', 'unattributed']
  return {
    direction,
    asset: 'ETH',
    total: '12345.678901 ETH',
    total_usd: '37037036.700000',
    total_complete: true,
    by_category: names.slice(names.length - parts).map((category, index) => ({
      category,
      relation: category === 'unattributed' ? null : index % 2 === 0 ? 'direct' : 'indirect',
      value: `${1_000 + index}.25 ETH`,
      value_usd: index === 0 ? null : `${3_000_000 + index}.990000`,
      share: 0.08 + index / 100,
      counterparties: category === 'unattributed' ? [] : sampleCounterparties(3, category),
      counterparties_omitted: index,
    })),
  }
}

const noRisk = { sanctions: 0, darknet: 0, mixer: 0, scam: 0, stolen: 0, clean_exchange: 0 }

/** A report that is red because of a designation, on a chain without ledger and provider. */
export function sampleReport(changes: Partial<Report> = {}, risk: Partial<Report['risk']> = {}): Report {
  return {
    ...reportExample,
    risk: { ...reportExample.risk, evidence: [sampleEvidence()], ...risk },
    ...changes,
  }
}

const examined: Report['coverage'] = {
  ...sampleReport().coverage,
  chain_data: { status: 'complete', source: 'node-1', height: 19_876_543, as_of: '2026-11-21T08:59:58.000Z' },
  exposure: {
    status: 'complete',
    reason: null,
    incomplete: [],
    hops_searched: 2,
    transfers_examined: 436,
    truncated: false,
  },
  prices: { version: 'ab'.repeat(32) },
}

/** One report of every level and of every size, by name. */
export function sampleReports(): Readonly<Record<string, Report>> {
  return {
    red: sampleReport(),
    orange: orangeReport(),
    green: sampleReport(
      { coverage: examined, exposure: [sampleExposure('incoming', 3)], tx_count: 12, tx_count_kind: 'total' },
      { level: 'green', score: 0, categories: { ...noRisk, clean_exchange: 80 }, evidence: [] },
    ),
    grey: sampleReport(
      {},
      {
        level: 'grey',
        score: 0,
        level_reasons: ['no_sanctions_list', 'no_chain_data', 'a_reason_of_tomorrow'],
        score_is_lower_bound: true,
        categories: noRisk,
        evidence: [],
      },
    ),
    sandbox: sampleReport({ livemode: false }),
    huge: hugeReport(),
    hostile: hostileReport(),
    flow: flowReport(),
  }
}

function orangeReport(): Report {
  return sampleReport(
    {
      coverage: examined,
      balance: '1234.500000 ETH',
      balances: [{ asset: 'USDT', amount: '5000000.000000' }],
      tx_count: 1430,
      tx_count_kind: 'outgoing',
      exposure: [sampleExposure('incoming', 8), sampleExposure('outgoing', 4)],
      cluster: { id: 'c-17', size: 12, heuristic: 'common-input', as_of: '42', stopped: 'holds_service' },
    },
    {
      level: 'orange',
      score: 61.25,
      categories: { ...noRisk, mixer: 61.25, stolen: 12.5, clean_exchange: 3.1 },
      conflicts: [{ category: 'mixer', clean_entity: 'Kraken', illicit_entity: 'Tornado Cash' }],
      evidence: [
        sampleExposureEvidence({ decisive: true }),
        sampleExposureEvidence({ category: 'stolen', subcategory: 'hack', contribution: 12.5, entity: null }),
        sampleExposureEvidence({ used: false, reason: 'dust', contribution: 0, direction: 'out', hops: 1 }),
      ],
    },
  )
}

const partyOf = (number: number, entity: string, value: string, usd: string) => ({
  ...{ address: addressOf(number), entity, value, value_usd: usd, transfers: 2 },
})
const partOf = (category: string, relation: string | null, value: string, usd: string) => ({
  ...{
    category,
    relation,
    value,
    value_usd: usd,
    share: null,
    counterparties: [],
    counterparties_omitted: 0,
  },
})
const exposureOf = (direction: string, asset: string, parts: Report['exposure'][number]['by_category']) => ({
  ...{ direction, asset, total: `900.5 ${asset}`, total_usd: '2701500.000000', total_complete: false },
  by_category: parts,
})
const stepOf = (from: string, to: string) => ({
  ...{ from, to, transaction: `0x${'ab'.repeat(32)}`, block: 15_000_000, at: null },
  ...{ value: '100.5 ETH', execution: 'proven' },
})

/** Value of two assets over several hops, of parties with several addresses, and a history that was not read to its end. */
export function flowReport(): Report {
  const mixer = sampleExposureEvidence({
    decisive: true,
    counterparties: [
      { ...partyOf(1, 'Tornado Cash', '120.123456789012345678 ETH', '360370.370367'), ...noSource },
    ],
    path: [
      stepOf(addressOf(1), addressOf(0x20)),
      stepOf(addressOf(0x20), addressOf(0x21)),
      stepOf(addressOf(0x21), SAMPLE_ADDRESS),
    ],
  })
  const incoming = exposureOf('incoming', 'ETH', [
    {
      ...partOf('mixer', 'indirect', '120.123456789012345678 ETH', '360370.370367'),
      counterparties: [partyOf(1, 'Tornado Cash', '120.123456789012345678 ETH', '360370.370367')],
    },
    {
      ...partOf('clean_exchange', 'direct', '600.25 ETH', '1800750.000000'),
      counterparties: [2, 3, 4].map((number) => partyOf(number, 'Kraken', '200 ETH', '600000.000000')),
      counterparties_omitted: 1,
    },
    {
      ...partOf('service', 'direct', '40 ETH', '120000.000000'),
      counterparties: [partyOf(5, '', '40 ETH', '120000.000000')],
    },
    {
      ...partOf('unattributed', null, '140.126543210987654322 ETH', '420379.629633'),
      counterparties: [partyOf(6, '', '100 ETH', '300000.000000'), partyOf(7, '', '4 ETH', '12000.000000')],
      counterparties_omitted: 136,
    },
  ])
  const tokens = exposureOf('incoming', 'USDT', [
    {
      ...partOf('clean_exchange', 'direct', '900.5 USDT', '900.500000'),
      counterparties: [partyOf(2, 'Kraken', '900.5 USDT', '900.500000')],
    },
  ])
  const sent = sampleExposureEvidence({
    ...{ category: 'sanctions', direction: 'out', hops: 2, contribution: 40, entity: 'Garantex' },
    counterparties: [{ ...partyOf(8, 'Garantex', '9.5 ETH', '28500.000000'), ...noSource }],
    path: [stepOf(SAMPLE_ADDRESS, addressOf(0x22)), stepOf(addressOf(0x22), addressOf(8))],
  })
  const outgoing = exposureOf('outgoing', 'ETH', [
    {
      ...partOf('sanctions', 'indirect', '9.5 ETH', '28500.000000'),
      counterparties: [partyOf(8, 'Garantex', '9.5 ETH', '28500.000000')],
    },
    {
      ...partOf('unattributed', null, '891 ETH', '2673000.000000'),
      counterparties: [partyOf(9, '', '891 ETH', '2673000.000000')],
    },
  ])
  const exposure = { ...examined.exposure, status: 'partial', incomplete: ['range_gap'], truncated: true }
  return sampleReport(
    { coverage: { ...examined, exposure }, exposure: [incoming, tokens, outgoing] },
    {
      ...{ level: 'orange', score: 61.25, categories: { ...noRisk, mixer: 61.25, sanctions: 40 } },
      evidence: [mixer, sent],
    },
  )
}

const noSource = { source: '', source_url: '' }

/** 50 items of evidence, 40 counterparties, a name of 300 characters, every category in both directions. */
function hugeReport(): Report {
  const evidence = Array.from({ length: 50 }, (_, index) =>
    sampleExposureEvidence({
      entity: index === 0 ? 'Long '.repeat(60) : `Entity ${index}`,
      counterparties: sampleCounterparties(index === 0 ? 40 : 2, 'Counterparty'),
      contribution: 90 - index,
      decisive: index === 0,
    }),
  )
  const exposure = ['incoming', 'outgoing'].map((direction) => {
    const one = sampleExposure(direction, 8)
    const [first, ...others] = one.by_category
    return {
      ...one,
      by_category: [{ ...first!, counterparties: sampleCounterparties(40, 'Huge') }, ...others],
    }
  })
  return sampleReport(
    { coverage: examined, exposure },
    { level: 'red', score: 90, evidence, evidence_omitted: 123, categories: { ...noRisk, mixer: 90 } },
  )
}

/** Hostile text in every field that third parties write. */
function hostileReport(): Report {
  const evidence = hostileTexts.map((text, index) =>
    sampleExposureEvidence({
      entity: text,
      source: text,
      source_url: index % 2 === 0 ? `javascript:${text}` : `https://example.com/${index}`,
      origin: text,
      role: text,
      counterparties: [
        {
          ...{ address: text, entity: text, source: '', source_url: '' },
          ...{ value: `1.5 ${text}`, value_usd: '1.000000', transfers: 1 },
        },
      ],
      decisive: index === 0,
      contribution: 80 - index,
    }),
  )
  return sampleReport(
    { customer_reference: hostileTexts[0]!, coverage: examined },
    { score: 80, evidence, categories: { ...noRisk, mixer: 80 } },
  )
}
