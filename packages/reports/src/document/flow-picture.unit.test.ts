import type { Report } from '@cupel/contracts'
import {
  flowReport,
  sampleCounterparties,
  sampleEvidence,
  sampleExposure,
  sampleExposureEvidence,
  sampleReport,
} from '@cupel/testkit'
import { describe, expect, it } from 'vitest'
import { reportDocument, type FlowNode } from './index.js'

const pictureOf = (report: Report) => reportDocument(report).flow.picture!
const nodesOf = (report: Report, side = 'in'): readonly FlowNode[] =>
  pictureOf(report).nodes.filter((node) => node.side === side)
const changed = (change: (report: Report) => void): Report => {
  const report = structuredClone(flowReport())
  change(report)
  return report
}

describe('the picture of the flow', () => {
  it('groups the addresses of one name over all assets, with exact sums', () => {
    const kraken = nodesOf(flowReport()).find(({ name }) => name.startsWith('Kraken'))
    expect(kraken).toMatchObject({
      ...{ kind: 'service', value: '600 ETH, 900.5 USDT', valueUsd: '$1,800,900.50' },
      name: 'Kraken, 3 addresses',
    })
    expect(kraken!.parties).toMatchObject([
      { value: '200 ETH, 900.5 USDT', valueUsd: '$600,900.50', transfers: '4' },
      { value: '200 ETH' },
      { value: '200 ETH' },
    ])
  })

  it('tells designated, risk, service, hub and unknown parties apart in words and signs, not only by colour', () => {
    const nodes = [...nodesOf(flowReport()), ...nodesOf(flowReport(), 'out')]
    const signs = new Map(nodes.map(({ kind, lines }) => [kind, lines[0]?.split(' ')[0]]))
    for (const kind of ['designated', 'risk', 'service', 'hub', 'unknown'])
      expect(signs.has(kind as never)).toBe(true)
    expect(
      new Set(['designated', 'risk', 'service', 'hub', 'unknown'].map((kind) => signs.get(kind as never)))
        .size,
    ).toBe(5)
  })

  it('draws the address next to the screened one from the path, and says that further ones are between', () => {
    const { edges } = pictureOf(flowReport())
    const between = nodesOf(flowReport()).find(({ kind }) => kind === 'between')!
    expect(between.parties[0]!.address).toMatch(/21$/)
    expect(between.what).toBe('1 of 2 between')
    expect(edges.filter(({ from, to }) => from === between.id || to === between.id)).toMatchObject([
      { from: 'in-0', to: between.id, isIndirect: true },
      { from: between.id, to: 'subject', isIndirect: false },
    ])
    const out = nodesOf(flowReport(), 'out').find(({ kind }) => kind === 'between')!
    expect(out.parties[0]!.address).toMatch(/22$/)
    expect(edges).toContainEqual(expect.objectContaining({ from: 'subject', to: out.id, isIndirect: false }))
    expect(edges).toContainEqual(expect.objectContaining({ from: out.id, to: 'out-0', isIndirect: false }))
  })

  it('draws no address between where the path ends elsewhere, or has steps of an unknown form', () => {
    const strange = [
      [],
      ['text', 7],
      [
        { from: 'a', to: 'b', value: '1 ETH' },
        { from: 'b', to: 'c', value: '1 ETH' },
      ],
    ]
    for (const path of strange) {
      const report = changed(({ risk }) => Object.assign(risk.evidence[0]!, { path }))
      const nodes = nodesOf(report)
      expect(nodes.filter(({ kind }) => kind === 'between')).toEqual([])
      expect(pictureOf(report).edges).toContainEqual(
        expect.objectContaining({ from: 'in-0', to: 'subject', isIndirect: true }),
      )
    }
  })

  it('names the days of a party only where its evidence states them', () => {
    expect(nodesOf(flowReport())[0]!.dates).toBe('2024-01-02 to 2025-11-12')
    const report = changed(({ risk }) => Object.assign(risk.evidence[0]!, { first_at: null }))
    expect(nodesOf(report)[0]!.dates).toBe('')
  })

  it('counts all parties without a node, with the exact value that no named party has', () => {
    const others = nodesOf(flowReport()).find(({ kind }) => kind === 'others')
    // 600.25 − 600 of the exchange, 140.126… − 104 of the unattributed part.
    expect(others).toMatchObject({ title: 'and 137 more', unnamed: 137, value: '36.376543210987654322 ETH' })
    expect(others!.valueUsd).toBe('$109,129.62')
  })

  it('names the risks among parties without a node', () => {
    expect(
      nodesOf(flowReport())
        .find(({ kind }) => kind === 'others')!
        .lines.join(),
    ).not.toContain('▲')
    const report = changed(({ exposure }) =>
      Object.assign(exposure[0]!.by_category[0]!, { counterparties_omitted: 3 }),
    )
    const others = nodesOf(report).find(({ kind }) => kind === 'others')!
    expect(others.lines[0]).toBe('▲ Mixer')
    expect(others.what).toBe('Mixer (grouped)')
  })

  it('leads from parties without a node to their recorded transfers', () => {
    const counterparties = sampleCounterparties(20, 'Market')
    const exposure = sampleExposure('incoming', 8)
    const parts = exposure.by_category.map((part) =>
      part.category === 'darknet' ? { ...part, counterparties } : part,
    )
    const evidence = [sampleEvidence(), sampleExposureEvidence({ category: 'darknet', counterparties })]
    const report = sampleReport({ exposure: [{ ...exposure, by_category: parts }] }, { evidence })
    expect(nodesOf(report).find(({ kind }) => kind === 'others')!.evidence).toEqual(['evidence-1'])
  })

  it('has a node for what was not read, on each side, and none where all was read', () => {
    const kinds = (report: Report) => pictureOf(report).nodes.filter(({ kind }) => kind === 'unread').length
    expect(kinds(flowReport())).toBe(2)
    const whole = changed((report) => {
      for (const one of report.exposure) Object.assign(one, { total_complete: true })
      Object.assign(report.coverage.exposure, { truncated: false, incomplete: [] })
    })
    expect(kinds(whole)).toBe(0)
    // A side without any known value is not shown as one on which nothing moved.
    const oneSide = changed((report) => {
      Object.assign(report, { exposure: report.exposure.filter(({ direction }) => direction === 'incoming') })
      Object.assign(report.coverage.exposure, { truncated: false, incomplete: ['range_gap'] })
    })
    expect(nodesOf(oneSide, 'out').map(({ kind }) => kind)).toEqual(['unread'])
    for (const part of [{ truncated: true }, { incomplete: ['range_gap'] }])
      expect(
        kinds({
          ...whole,
          coverage: { ...whole.coverage, exposure: { ...whole.coverage.exposure, ...part } },
        }),
      ).toBe(2)
  })

  it('widens lines by dollars, and gives all one width where prices are missing among several assets', () => {
    const { edges, notes } = pictureOf(flowReport())
    expect(Math.max(...edges.map(({ weight }) => weight))).toBe(1)
    expect(edges.find(({ from }) => from === 'in-1')!.weight).toBeCloseTo(1_800_900.5 / 2_673_000, 9)
    expect(notes[0]).toContain('in US dollars')
    const priceless = pictureOf(
      changed((report) => Object.assign(report.exposure[1]!.by_category[0]!, { value_usd: null })),
    )
    expect(priceless.edges.every(({ weight }) => weight === 0)).toBe(true)
    expect(priceless.notes[0]).toContain('one width')
  })

  it('has on each line from or to whom, how much, in dollars, and when', () => {
    const { edges } = pictureOf(flowReport())
    const texts = edges.map(({ text }) => text)
    const path = 'From: Tornado Cash, 120.123456789012345678 ETH, $360,370.37, 2024-01-02 to 2025-11-12'
    expect(texts.filter((text) => text === path)).toHaveLength(2)
    expect(texts).toContain('From: Kraken, 3 addresses, 600 ETH, 900.5 USDT, $1,800,900.50')
    expect(texts.filter((text) => text.startsWith('To: Garantex, 9.5 ETH, $28,500.00, 2024'))).toHaveLength(2)
    expect(texts).toContain('To: More may exist')
  })

  it('never calls a category of a later version safe', () => {
    const report = changed(({ exposure }) =>
      Object.assign(exposure[0]!.by_category[1]!, { category: 'of_tomorrow' }),
    )
    expect(nodesOf(report).find(({ name }) => name.startsWith('Kraken, 3'))!.kind).toBe('unknown')
  })

  it('is not drawn of a report without value', () => {
    expect(reportDocument(sampleReport()).flow.picture).toBeNull()
  })
})
