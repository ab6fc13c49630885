import { reportDocument, visibleText } from '@cupel/report-document'
import { hostileReports } from '@cupel/testkit'
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
