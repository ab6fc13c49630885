/** The reference page shows the whole description, and runs and loads nothing. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Call } from '@cupel/gate/http'
import { openapiDocument } from '../src/index.js'
import { describedEndpoints } from '../src/openapi-document.js'
import { renderReferencePage } from '../src/reference-page/render-page.js'

const document = JSON.parse(openapiDocument()) as {
  info: { description: string }
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, object> }>>
  components: { schemas: Record<string, object> }
}
const page = renderReferencePage(document)

test('every operation, status, problem code and schema is on it', () => {
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { operationId, responses }] of Object.entries(methods)) {
      expect(page).toContain(`<span class="${method}">${method.toUpperCase()}</span> <span>${path}</span>`)
      const [, after] = page.split(`<h3 id="${operationId}">`)
      const section = after!.split('</section>')[0]!
      for (const status of Object.keys(responses)) expect(section).toContain(`>${status}</b>`)
      for (const [, code] of JSON.stringify(responses).matchAll(/"\/problems\/(\w+)"/g))
        expect(section).toContain(`<code>${code}</code>`)
    }
  for (const name of Object.keys(document.components.schemas)) expect(page).toContain(`id="schema-${name}"`)
})

test('every link on it leads somewhere, and no name is given twice', () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const targets = [...page.matchAll(/href="([^"]+)"/g)].map(([, target]) => target!)
  for (const target of targets)
    if (!['/openapi.json', '/postman.json'].includes(target)) expect(ids).toContain(target.slice(1))
})

test('it holds no script, no handler, no style attribute, and nothing that is fetched', () => {
  expect(page).not.toMatch(/<(?:script|img|link|iframe|object|embed|base|svg|video|audio)\b/i)
  // The one form searches this page.
  expect(page.match(/<form\b[^>]*>/gi)).toEqual(['<form action="/docs" method="get" role="search">'])
  expect(page).not.toMatch(/<[^>]+\s(?:on\w+|style|src|srcset)=/i)
  expect(page).not.toMatch(/@import|url\(/i)
})

test('the policy it is served with allows only its own style', async () => {
  const endpoint = describedEndpoints().find(({ path }) => path === '/docs')!
  const inputs = { path: undefined as never, query: {} as never, body: undefined, judged: undefined }
  const answer = await endpoint.handle({} as Call & never, inputs)
  if (!('body' in answer!)) throw new Error('The page was refused')
  expect(answer.body).toBe(page)
  expect(answer.contentType).toBe('text/html; charset=utf-8')
  const [, sheet] = /<style>([^]*?)<\/style>/.exec(page)!
  const hash = createHash('sha256').update(sheet!).digest('base64')
  expect(answer.headers!['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  )
})

describe('texts cannot become markup', () => {
  test.each(['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '`<b>`', "' onmouseover='x"])(
    '%s',
    (text) => {
      const hostile = JSON.parse(
        openapiDocument().replaceAll('Screen one address', JSON.stringify(text).slice(1, -1)),
      ) as object
      const rendered = renderReferencePage(hostile)
      expect(rendered).not.toBe(page)
      expect(rendered).not.toMatch(/<script|<img|<b>`|' onmouseover/)
    },
  )
})
