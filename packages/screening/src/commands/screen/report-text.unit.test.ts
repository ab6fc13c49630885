/** What `cupel screen` prints for a person. */
import { readFileSync } from 'node:fs'
import { reportSchema, type Evidence, type Report } from '@cupel/contracts'
import { capReasons, levelReasons } from '@cupel/domain'
import { en, limitText, reasonText } from '@cupel/reports/document'
import { describe, expect, test } from 'vitest'
import { forTerminal, paintFor } from '@cupel/command-line'
import { asOfText } from './as-of-text.js'
import { reportText } from './report-text.js'

const golden = readFileSync(
  new URL('../../../../../schemas/golden/ReportGenerated/1.json', import.meta.url),
  'utf8',
)
const base = reportSchema.parse(JSON.parse((JSON.parse(golden) as { report: string }).report))
const plain = paintFor({ isTTY: false }, {})

const evidence = (changes: Partial<Evidence>): Evidence => ({
  ...base.risk.evidence[0]!,
  ...{
    category: 'sanctions',
    subcategory: null,
    relation: 'ownership',
    direction: null,
    hops: 0,
    address: null,
  },
  ...{ entity: 'Lazarus Group', source: 'ofac_sdn', origin: 'us-ofac', role: 'owner', confidence: 1 },
  ...{ source_url: '', observed_at: '2026-08-20', value: null, value_usd: null, share: null, sources: 0 },
  ...{ contribution: 100, decisive: true, used: true, reason: null, sanction: null, pre_designation: null },
  ...changes,
})

function report(
  changes: { risk?: Partial<Report['risk']>; coverage?: Partial<Report['coverage']> } & Partial<
    Omit<Report, 'risk' | 'coverage'>
  > = {},
): Report {
  const { risk, coverage, ...rest } = changes
  return {
    ...base,
    ...{ address: '0xabc', chain: 'ETH', candidate_chains: [], exposure: [], cluster: null, ...rest },
    risk: {
      ...base.risk,
      level: 'grey',
      score: 0,
      level_reasons: [],
      score_is_lower_bound: false,
      conflicts: [],
      evidence: [],
      ...risk,
    },
    coverage: {
      ...base.coverage,
      not_examined: ['cross_chain', 'clusters'],
      labels: { status: 'complete', as_of: null, sources: 1, lists: [] },
      chain_data: { status: 'unavailable', source: null, height: null, as_of: null },
      ...coverage,
    },
  }
}

const lines = (changes: Parameters<typeof report>[0]): readonly string[] =>
  reportText(report(changes), plain).split('\n')

test('the level comes first, then the address', () => {
  const [first, second] = lines({ risk: { level: 'red', score: 100, evidence: [evidence({})] } })
  expect(first).toBe('RED  score 100 of 100')
  expect(second).toBe('0xabc on ETH')
})

test('a score that may be too low says so', () => {
  expect(lines({ risk: { score: 12, score_is_lower_bound: true } })[0]).toContain('or more')
})

test('a full score is not said to be too low, and grey is not cleared', () => {
  expect(lines({ risk: { level: 'red', score: 100, score_is_lower_bound: true } })[0]).not.toContain(
    'or more',
  )
  expect(lines({})[0]).toContain('NOT CLEARED (grey)')
})

test.each(levelReasons)('%s has words and a remedy', (reason) => {
  expect(lines({ risk: { level_reasons: [reason] } }).join('\n')).toContain(
    `${reason}: ${reasonText(reason)}`,
  )
  expect(Object.hasOwn(en.remedies, reason)).toBe(true)
})

test('other chains that were judged are said with their level, and an address that is not cleared shows no points', () => {
  const other_chains = [{ chain: 'LTC', level: 'grey', score: 0, level_reasons: ['no_chain_data'] }]
  const text = lines({ other_chains }).join('\n')
  expect(text).toContain(`Judged there too: LTC: Not cleared. ${en.levelReasons['no_chain_data']}`)
  expect(lines({})[0]).not.toContain('score')
})

test.each(capReasons)('points that are limited by %s say why', (capped_by) => {
  const points = { base: 95, factors: [], capped_by, weight: 1, contribution: 69.99 }
  const text = lines({ risk: { level: 'orange', score: 69.99, evidence: [evidence(points)] } }).join('\n')
  expect(text).toContain(limitText(capped_by))
})

test('an item says how its points come about, and why they are limited', () => {
  const points = {
    ...{ base: 95, factors: [{ name: 'confidence', value: 1 }], capped_by: 'execution_unknown', weight: 1 },
    ...{ relation: 'direct', direction: 'out', hops: 1, value: '12.5 ETH', contribution: 69.99 },
  }
  const text = lines({ risk: { level: 'orange', score: 69.99, evidence: [evidence(points)] } }).join('\n')
  expect(text).toContain('95 points at most × 1 (confidence) (limited to below red, because the execution')
  expect(text).toContain('× 1 (weight of the category) = 69.99 points')
})

test('a report without points is not good news for an address that is not cleared', () => {
  expect(lines({})[0]).toBe('NOT CLEARED (grey)  too little is known to say green')
  expect(lines({})).not.toContain(en.cautions.lowerBound)
  expect(lines({ risk: { score_is_lower_bound: true } })[2]).toBe(en.cautions.lowerBound)
  const exposure = { ...base.coverage.exposure, status: 'unavailable', reason: 'late', incomplete: [] }
  expect(lines({ coverage: { exposure } })[0]).toBe(
    'NOT CLEARED (grey)  the ledger did not answer in time: screen again',
  )
})

test('colour appears only on a terminal, and not where NO_COLOR is set', () => {
  const text = (paint: Parameters<typeof reportText>[1]) =>
    reportText(report({ risk: { level: 'red' } }), paint)
  expect(text(plain)).not.toContain('\u001b')
  expect(text(paintFor({ isTTY: true }, { NO_COLOR: '1' }))).not.toContain('\u001b')
  expect(forTerminal(text(paintFor({ isTTY: true }, {})))).toContain('\u001b[31m')
})

test('a designation shows what the authority says', () => {
  const sanction = {
    ...{ list: 'SDN List', programmes: ['DPRK3'], entity_id: '26307', aliases: ['Hidden Cobra'] },
    designated_on: '2022-04-14',
  }
  const text = lines({ risk: { level: 'red', score: 100, evidence: [evidence({ sanction })] } }).join('\n')
  expect(text).toContain('* sanctions: is Lazarus Group (owner), 100 points')
  expect(text).toContain('ofac_sdn, 2026-08-20, origin us-ofac, confidence 1')
  expect(text).toContain(
    'on the list SDN List, under DPRK3, entry 26307, since 2022-04-14, also Hidden Cobra',
  )
})

describe('value', () => {
  const moved = {
    ...{ relation: 'direct', direction: 'in', hops: 1, value: '12.5 ETH', share: 0.25, contribution: 40 },
  }

  test('of one source is from its name and address', () => {
    const item = evidence({ ...moved, address: '0xthief', entity: 'A thief', sources: 1, value_usd: '31000' })
    expect(lines({ risk: { evidence: [item] } }).join('\n')).toContain(
      'received 12.5 ETH (31000 USD), 25 % of all from A thief 0xthief, 40 points',
    )
  })

  test('of seven sources is from seven addresses, never from one of them by name', () => {
    const item = evidence({ ...moved, address: null, entity: null, sources: 7 })
    const text = lines({ risk: { evidence: [item] } }).join('\n')
    expect(text).toContain('received 12.5 ETH, 25 % of all from 7 addresses')
  })

  test('is divided by what it is attributed to, the clean and the unattributed part too', () => {
    const part = { value_usd: null, share: null, counterparties: [], counterparties_omitted: 0 }
    const exposure = [
      {
        ...{ direction: 'incoming', asset: 'ETH', total: '20 ETH', total_usd: null, total_complete: false },
        by_category: [
          { ...part, category: 'clean_exchange', relation: 'direct', value: '15 ETH' },
          { ...part, category: 'unattributed', relation: null, value: '5 ETH' },
        ],
      },
    ]
    const text = lines({ exposure, coverage: { prices: null } }).join('\n')
    expect(text).toContain('incoming 20 ETH, as far as the ledger knows')
    expect(text).toContain('clean_exchange direct 15 ETH')
    expect(text).toContain('unattributed 5 ETH')
    expect(text).toContain('No prices are imported')
  })
})

describe('what is not known', () => {
  test('is said in words, with the reason as the API names it', () => {
    const text = lines({ risk: { level_reasons: ['no_sanctions_list', 'a_later_word'] } }).join('\n')
    expect(text).toContain('no_sanctions_list: A whole list that is required')
    expect(text).toContain('a_later_word: ')
    expect(text).toContain(en.notExamined['cross_chain'])
    expect(text).toContain(en.notExamined['clusters'])
  })

  test('a stage that was late does not look like an installation without a ledger', () => {
    const exposure = { ...base.coverage.exposure, status: 'unavailable', reason: 'late', incomplete: [] }
    expect(lines({ coverage: { exposure } }).join('\n')).toContain(en.exposureReasons['late'])
    const none = { ...exposure, reason: 'not_configured' }
    expect(lines({ coverage: { exposure: none } }).join('\n')).not.toContain(en.exposureReasons['late'])
  })

  test('a cluster that stopped says why its labels do not count', () => {
    const cluster = { id: '1', size: 20_000, heuristic: 'common-input', as_of: '3', stopped: 'too_large' }
    expect(lines({ cluster }).join('\n')).toContain(en.clusterStops['too_large'])
  })
})

test('lists are shown with whose they are, their date, their age and their state', () => {
  const list = {
    ...{ source: 'ofac_sdn', dataset: 'sdn.xml', authority: 'us-ofac', whole: true, list_date: '2026-11-18' },
    ...{ confirmed_at: null, labels: 1_053, status: 'old' },
    rows: { read: 1_053, refused: 0, skipped: 0, unreadable: 0, accepted: 0 },
  }
  const labels = { ...base.coverage.labels, lists: [list] }
  const text = lines({ generated_at: '2026-11-21T09:00:00.000Z', coverage: { labels } }).join('\n')
  expect(text).toContain(
    'ofac_sdn/sdn.xml, the whole list of us-ofac: of 2026-11-18, 3 days old, 1,053 labels, too old',
  )
  expect(lines({}).join('\n')).toContain('No sanctions list is in force here')
})

test('a name cannot command the terminal or reverse the text', () => {
  const entity = 'Nice\u001b[2J\u202eegnahcxE\u0000'
  const text = reportText(report({ risk: { evidence: [evidence({ entity })] } }), plain)
  expect(text).not.toMatch(/[\u001b\u202e\0]/)
})

test('an answer about a past moment says first that it is not a report, and names what it rests on', () => {
  const { report_id: id, report_url: link, ...past } = report()
  const text = asOfText(
    {
      ...{ as_of: '2026-03-03T09:00:00.000Z', ledger_snapshot: '7', left_out: ['chain_data'] },
      lists: { label_snapshot: '42', as_of: '2026-03-02T06:00:00.000Z' },
      policy: { activated_at: '2026-01-01T09:00:00.000Z' },
      report: past,
    },
    plain,
  )
  expect(text.split('\n')[0]).toBe(
    'As of 2026-03-03T09:00:00.000Z. This is not a report: nothing was stored.',
  )
  expect(text).toContain('state 42, the newest published 2026-03-02T06:00:00.000Z')
  expect(text).toContain('in force since 2026-01-01T09:00:00.000Z')
  expect(text).toContain('Ledger of that moment: state 7')
  expect(text).toContain('what they said is left out')
  for (const part of [id, link]) expect(text).not.toContain(part)
  expect(text).not.toContain('Report ')
})
