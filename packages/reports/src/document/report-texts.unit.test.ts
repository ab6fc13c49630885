import type { RecordedLeaf } from '@cupel/contracts'
import { canonicalJson, sha256Hex } from '@cupel/domain'
import { hostileTexts, sampleEvidence, sampleReport, sampleReports } from '@cupel/testkit'
import { describe, expect, it } from 'vitest'
import { en, reportDocument, visibleText } from './index.js'

/** Every text of a document. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

describe('the provenance', () => {
  it('has the hash of the RFC 8785 form of the report', () => {
    const report = sampleReport()
    const fields = new Map(reportDocument(report).provenance.fields.map(({ label, value }) => [label, value]))
    expect(fields.get(en.provenance.hash)).toBe(sha256Hex(canonicalJson(report)))
  })

  it('names the leaf of the report where it is known, and says where it is not', () => {
    const leaf = { log: 'cupel/a/transparency/1', hash: 'ab'.repeat(32) }
    const fieldsOf = (known: RecordedLeaf | null) =>
      Object.fromEntries(
        reportDocument(sampleReport(), known).provenance.fields.map(({ label, value }) => [label, value]),
      )
    const { log, leafHash, noLeaf } = en.provenance
    expect(fieldsOf(leaf)).toMatchObject({ [log]: leaf.log, [leafHash]: leaf.hash })
    const unknown = fieldsOf(null)
    expect(unknown).toMatchObject({ [log]: noLeaf })
    expect(leafHash in unknown).toBe(false)
  })

  it('shows every list with its dates', () => {
    expect(reportDocument(sampleReport()).provenance.lists.rows).toEqual([
      [
        'SDN list of OFAC / sdn_advanced.xml',
        'OFAC',
        'whole',
        '2026-11-20',
        '2026-11-21 06:00:00 UTC',
        '1,053',
        'current',
      ],
    ])
  })
})

describe('foreign text', () => {
  it('contains no invisible character, whatever the report holds', () => {
    for (const report of Object.values(sampleReports()))
      for (const text of textsOf(reportDocument(report)))
        expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u)
  })

  it('is kept as it is where a reader can see it, and escaped where not', () => {
    const texts = textsOf(reportDocument(sampleReports()['hostile']!)).join('\n')
    for (const text of hostileTexts) expect(texts).toContain(visibleText(text))
    expect(visibleText('abc\u202Etxt\u0000')).toBe('abc[U+202E]txt[U+0000]')
    expect(visibleText('lone \ud800')).toBe('lone [U+D800]')
    expect(visibleText('a\u034Fb ❤️')).toBe('a[U+034F]b ❤️')
    expect(visibleText('Группа 拉撒路 مجموعة')).toBe('Группа 拉撒路 مجموعة')
  })

  it('is cut in the headline and whole in the facts', () => {
    const entity = 'x'.repeat(300)
    const { verdict, why } = reportDocument(sampleReport({}, { evidence: [sampleEvidence({ entity })] }))
    expect(verdict.headline.length).toBeLessThan(200)
    expect(why.counted[0]!.fields.map(({ value }) => value)).toContain(entity)
  })
})
