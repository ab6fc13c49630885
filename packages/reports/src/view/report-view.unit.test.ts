import { capReasons, levelReasons } from '@cupel/domain'
import { limitText } from '../document/points.js'
import { reasonText } from '../document/limits.js'
import { reportDocument } from '../document/report-document.js'
import { visibleText } from '../document/writing.js'
import { hostileReports, sampleEvidence, sampleReport } from '@cupel/testkit'
import { h } from 'preact'
import { render } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { ReportView } from './report-view.js'

const SEED = 20261122
const html = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

test('every one of 5,000 hostile strings is text of the page, and none is an element, an attribute or a link', () => {
  const tags = new Set<string>()
  let read = 0
  for (const { report, strings } of hostileReports(5_000, SEED)) {
    const page = render(h(ReportView, { document: reportDocument(report), pdfPath: null }))
    const text = page.replaceAll('&#39;', "'").replaceAll('&gt;', '>').replaceAll('>', '&gt;')
    expect(strings.filter((one) => !text.includes(html(visibleText(one))))).toEqual([])
    for (const [tag, name] of page.matchAll(/<([^\s/>]+)(?:[^>"]|"[^"]*")*>/g)) {
      tags.add(name!)
      const attributes = [...tag.matchAll(/\s([^\s=>]+)="([^"]*)"/g)]
      for (const [, attribute, value] of attributes) {
        expect(attribute).not.toMatch(/^on|srcdoc|style/i)
        if (attribute === 'href') expect(value).toMatch(/^(?:https?:|\/|#)/)
      }
    }
    read += strings.length
  }
  expect(read).toBeGreaterThanOrEqual(5_000)
  expect([...tags].filter((tag) => /script|iframe|img|style|object|embed|form/i.test(tag))).toEqual([])
})

const pageOf = (...of: Parameters<typeof sampleReport>): string =>
  render(h(ReportView, { document: reportDocument(sampleReport(...of)), pdfPath: null })).replaceAll(
    '&#39;',
    "'",
  )

const notCleared = { level: 'grey', score: 0, evidence: [] }

test('an address that is not cleared is called that, and no points are shown as if they were good', () => {
  const verdict = /<section class="verdict.*?<\/section>/s.exec(pageOf({}, notCleared))?.[0] ?? ''
  expect(verdict).toContain('Not cleared')
  expect(verdict).not.toMatch(/class="score"|0 of 100|0 points|nothing that counts/)
})

test.each(levelReasons)('%s is said in a sentence, with what a person can do about it', (reason) => {
  expect(pageOf({}, { ...notCleared, level_reasons: [reason] })).toContain(html(reasonText(reason)))
})

test.each(capReasons)(
  'points that are limited by %s say why, in the verdict and at the item',
  (capped_by) => {
    const evidence = [sampleEvidence({ decisive: true, base: 95, weight: 1, capped_by, contribution: 69.99 })]
    const page = pageOf({}, { level: 'orange', score: 69.99, evidence })
    expect(page.split(html(limitText(capped_by))).length).toBeGreaterThanOrEqual(3)
  },
)

test('the highest score is not said to be too low, and a lower one is', () => {
  const bound = { score_is_lower_bound: true }
  expect(pageOf({}, { ...bound, score: 100 })).not.toContain('too low')
  expect(pageOf({}, { ...bound, score: 99.99 })).toContain('The score may be too low')
})
