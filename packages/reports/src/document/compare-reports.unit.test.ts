import type { Report } from '@cupel/contracts'
import {
  hostileTexts,
  sampleEvidence,
  sampleExposureEvidence,
  sampleReport,
  sampleReports,
} from '@cupel/testkit'
import { describe, expect, it } from 'vitest'
import { compareReports, en } from './index.js'

const EARLIER = '2026-11-20T09:00:00.000Z'
const LATER = '2026-11-21T09:00:00.000Z'
const earlier = (changes: Partial<Report> = {}, risk: Partial<Report['risk']> = {}) =>
  sampleReport({ report_id: '0000000000000001', generated_at: EARLIER, ...changes }, risk)
const later = (changes: Partial<Report> = {}, risk: Partial<Report['risk']> = {}) =>
  sampleReport({ report_id: '0000000000000002', generated_at: LATER, ...changes }, risk)
const changedOf = (facts: readonly { readonly label: string; readonly isChanged: boolean }[]) =>
  facts.filter(({ isChanged }) => isChanged).map(({ label }) => label)

describe('two reports side by side', () => {
  it('stand in the order of their times, whichever was named first', () => {
    const [one, other] = [earlier(), later()]
    expect(compareReports(other, one)).toEqual(compareReports(one, other))
    expect(compareReports(other, one).before.report_id).toBe(one.report_id)
  })

  it('say so where nothing differs, and nothing else', () => {
    const compared = compareReports(earlier(), later())
    expect(compared.summary).toEqual(['Nothing differs between the two reports.'])
    expect(compared).toMatchObject({ evidence: [], sameEvidence: 1, lists: [] })
    expect([...changedOf(compared.verdict), ...changedOf(compared.state)]).toEqual([])
  })

  it('name the change of the level first, and every category that moved', () => {
    const green = { level: 'green', score: 0, evidence: [] }
    const categories = { ...sampleReport().risk.categories, sanctions: 0 }
    const compared = compareReports(earlier({}, { ...green, categories }), later())
    expect(compared.summary[0]).toBe('The level changed from Green (0) to Red (100).')
    expect(compared.summary[1]).toBe('Evidence: 1 new, 0 gone, 0 changed.')
    expect(changedOf(compared.verdict)).toEqual(['Level', 'Score', 'Sanctions'])
    expect(compared.evidence).toMatchObject([
      { before: null, after: '100 points', headline: expect.stringContaining('Lazarus Group') as string },
    ])
  })

  it('tell evidence that came, that went and that changed apart; order does not matter', () => {
    const scam = sampleEvidence({ category: 'scam', entity: 'Fraud Ltd', contribution: 72, decisive: false })
    const mixer = (changes = {}) => sampleExposureEvidence(changes)
    const compared = compareReports(
      earlier({}, { evidence: [scam, sampleEvidence(), mixer()] }),
      later(
        {},
        {
          evidence: [
            mixer({ value: '2000 ETH', contribution: 70 }),
            sampleEvidence(),
            sampleEvidence({ category: 'stolen', entity: 'Hack', contribution: 40 }),
          ],
        },
      ),
    )
    const [added, gone, changed, ...rest] = compared.evidence
    expect(added).toMatchObject({ before: null, after: '40 points' })
    expect(gone).toMatchObject({ before: '72 points', after: null })
    expect(changed).toMatchObject({ before: '61.25 points, 1,204.5 ETH', after: '70 points, 2,000 ETH' })
    expect(rest).toEqual([])
    expect(compared.sameEvidence).toBe(1)
  })

  it('tell the points of the score and of each category exactly, and none where a report has no score', () => {
    const of = (score: number, level: string) => ({
      ...{ level, score, evidence: [] },
      categories: { ...sampleReport().risk.categories, sanctions: score },
    })
    const differences = (from: object, to: object) =>
      compareReports(earlier({}, from), later({}, to)).verdict.map(({ difference }) => difference)
    expect(differences(of(0.1, 'orange'), of(0.3, 'orange'))).toEqual([
      '',
      '+0.2',
      '+0.2',
      '',
      '',
      '',
      '',
      '',
    ])
    expect(differences(of(61.25, 'orange'), of(0, 'green'))[1]).toBe('−61.25')
    expect(differences(of(61.25, 'orange'), of(0, 'grey'))[1]).toBe('')
  })

  it('count equal items as often as they are there', () => {
    const item = sampleEvidence()
    const compared = compareReports(earlier({}, { evidence: [item, item] }), later({}, { evidence: [item] }))
    expect(compared.evidence).toMatchObject([{ before: '100 points', after: null }])
    expect(compared.sameEvidence).toBe(1)
  })

  it('show lists whose date, labels or status differ, and not those that were only confirmed', () => {
    const { coverage } = sampleReport()
    const withList = (changes: object): Report['coverage'] => ({
      ...coverage,
      labels: { ...coverage.labels, lists: [{ ...coverage.labels.lists[0]!, ...changes }] },
    })
    const confirmed = withList({ confirmed_at: '2026-11-21T08:00:00.000Z' })
    expect(compareReports(earlier(), later({ coverage: confirmed })).lists).toEqual([])
    const newer = withList({ list_date: '2026-11-21', labels: 1_060 })
    const compared = compareReports(earlier(), later({ coverage: newer }))
    expect(compared.lists).toMatchObject([
      {
        label: 'SDN list of OFAC / sdn_advanced.xml',
        before: 'dated 2026-11-20, 1,053 labels, current',
        after: 'dated 2026-11-21, 1,060 labels, current',
      },
    ])
    expect(compared.summary).toContain('1 list differs.')
  })

  it('name another policy and another scorer, and limits that only one report has', () => {
    const compared = compareReports(
      earlier({}, { level_reasons: ['stale_labels'] }),
      later({ policy: { id: 'default', version: 9 }, scorer_version: '1.1.0' }),
    )
    expect(compared.summary.slice(-2)).toEqual([
      'The reports were decided under different policies.',
      'The reports were decided by different versions of the scorer.',
    ])
    expect(compared.limits.gone.map(({ code }) => code)).toEqual(['stale_labels'])
    expect(compared.limits.added).toEqual([])
  })

  it('do not say that a reason has gone where the later report did not examine the ledger', () => {
    const { coverage } = sampleReport()
    const before = { ...coverage, exposure: { ...coverage.exposure, incomplete: ['no_traces'] } }
    const late = { ...coverage.exposure, status: 'unavailable', reason: 'late', incomplete: [] }
    const compared = compareReports(
      earlier({ coverage: before }, { level_reasons: ['no_traces', 'unattributed'] }),
      later({ coverage: { ...coverage, exposure: late } }, { level_reasons: ['partial'] }),
    )
    expect(compared.limits.gone.map(({ code }) => code)).not.toContain('no_traces')
    expect(compared.limits.gone.map(({ code }) => code)).not.toContain('unattributed')
    expect(compared.summary.join(' ')).toContain('Screen again')
  })

  it('do not say that a reason has gone which a later report has no reason to name', () => {
    const named = ['unattributed', 'illicit_dust', 'stale_labels', 'balance_mismatch']
    const { coverage } = sampleReport()
    const goneWith = (known: Partial<Report['coverage']>, level = 'grey', reasons: readonly string[] = []) =>
      compareReports(
        earlier({}, { level: 'grey', level_reasons: named }),
        later({ coverage: { ...coverage, ...known } }, { level, level_reasons: [...reasons] }),
      )
        .limits.gone.map(({ code }) => code)
        .filter((code) => named.includes(code))
    const complete = { status: 'complete' } as const
    const exposure = { ...coverage.exposure, ...complete, reason: null, incomplete: [], truncated: false }
    const labels = { ...coverage.labels, ...complete }
    const chain_data = { ...coverage.chain_data, ...complete }
    const whole = { exposure, labels, chain_data }
    expect(goneWith(whole)).toEqual(named)
    // An orange report names no reasons of its level.
    expect(goneWith(whole, 'orange')).toEqual(['stale_labels', 'balance_mismatch'])
    expect(goneWith({ ...whole, exposure: { ...exposure, status: 'partial' } })).toEqual([
      ...['stale_labels', 'balance_mismatch'],
    ])
    expect(goneWith({ ...whole, labels: { ...labels, status: 'unavailable' } })).not.toContain('stale_labels')
    expect(goneWith({ ...whole, chain_data: { ...chain_data, status: 'partial' } })).not.toContain(
      'balance_mismatch',
    )
  })

  it('show no points of an address that is not cleared as if they were good', () => {
    const { summary, verdict } = compareReports(
      earlier({}, { level: 'grey', score: 0, evidence: [] }),
      later({}, { level: 'orange', score: 30 }),
    )
    expect(summary[0]).toBe('The level changed from Not cleared to Orange (30).')
    expect(verdict[1]).toMatchObject({ before: en.none, after: '30' })
    const same = { level: 'grey', score: 0, evidence: [] }
    expect(compareReports(earlier({}, same), later({ tx_count: 9 }, same)).summary[0]).toBe(
      'The level is the same: Not cleared.',
    )
  })

  it('warn where a report leaves out evidence', () => {
    const compared = compareReports(earlier({}, { evidence: [], evidence_omitted: 3 }), later())
    expect(compared.summary.join(' ')).toContain('leaves out evidence')
  })

  it('never throw, and show no invisible character, whatever the reports hold', () => {
    const texts = hostileTexts.map((entity) => later({}, { evidence: [sampleEvidence({ entity })] }))
    const all: Report[] = [...Object.values(sampleReports()), ...texts]
    for (const one of all) {
      const compared = compareReports(earlier(), { ...one, generated_at: LATER })
      expect(compared.summary.length).toBeGreaterThan(0)
      expect(JSON.stringify(compared.evidence)).not.toMatch(/[\u202e\u200b]/)
    }
  })
})
