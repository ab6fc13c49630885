/** The reference page shows the whole description, and loads nothing. */
import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Answer, Call } from '@cupel/gate/http'
import { openapiDocument, describedEndpoints } from '../src/openapi-document.js'
import { renderReferencePage, runScript } from '@cupel/gate/reference'

const document = JSON.parse(openapiDocument()) as {
  info: { description: string }
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, object> }>>
  components: { schemas: Record<string, object> }
}
const page = renderReferencePage(document)
/** Without its own script, which is the last element. */
const withoutScript = (html: string): string =>
  html.replace(`<script type="module">${runScript()}</script>`, '')

const endpoints = describedEndpoints()
async function answerOf(path: string, { code = '', q = '' } = {}): Promise<Answer> {
  const endpoint = endpoints.find((each) => each.path === path)!
  const inputs = { path: { code }, query: { q }, body: undefined, judged: undefined } as never
  const answer = await endpoint.handle({} as Call & never, inputs)
  if (!('body' in answer!)) throw new Error('The page was refused')
  return answer
}

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

test('it holds one script, no handler, no style attribute, and nothing that is fetched', () => {
  expect(withoutScript(page)).not.toBe(page)
  expect(withoutScript(page)).not.toMatch(/<(?:script|img|link|iframe|object|embed|base|svg|video|audio)\b/i)
  // The one form searches this page.
  expect(withoutScript(page).match(/<form\b[^>]*>/gi)).toEqual([
    '<form action="/docs" method="get" role="search">',
  ])
  expect(withoutScript(page)).not.toMatch(/<[^>]+\s(?:on\w+|style|src|srcset)=/i)
  expect(withoutScript(page)).not.toMatch(/@import|url\(/i)
})

test('the policy allows only its own style, script and calls', async () => {
  const answer = await answerOf('/docs')
  expect(String(answer.body)).toBe(page)
  expect(answer.contentType).toBe('text/html; charset=utf-8')
  const [, sheet] = /<style>([^]*?)<\/style>/.exec(page)!
  const [, script] = /<script type="module">([^]*?)<\/script>/.exec(page)!
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64')
  expect(answer.headers!['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hashOf(sheet!)}'; script-src 'sha256-${hashOf(script!)}'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  )
})

test('every operation that is called has its parameters and its example for a run, and a message has none', () => {
  const described = [...page.matchAll(/data-run="([^"]*)"/g)].map(
    ([, text]) =>
      JSON.parse(
        text!
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&amp;', '&'),
      ) as {
        method: string
        path: string
        needsKey: boolean
        parameters: { name: string; place: string; isRequired: boolean }[]
        body: string | null
      },
  )
  const called = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(described.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(called.sort())
  for (const { path, parameters } of described)
    expect(
      parameters
        .filter(({ place, isRequired }) => place === 'path' && isRequired)
        .map(({ name }) => `{${name}}`),
    ).toEqual([...path.matchAll(/\{\w+\}/g)].map(([name]) => name))
  const screen = described.find(({ path }) => path === '/v1/screen')!
  expect(screen.needsKey).toBe(true)
  expect(JSON.parse(screen.body!)).toHaveProperty('address')
  expect(described.find(({ path }) => path === '/openapi.json')!.needsKey).toBe(false)
})

test.each([
  ['/openapi.json', ''],
  ['/postman.json', ''],
  ['/docs', ''],
  ['/problems/{code}', 'rate_limited'],
  ['/problems/{code}', 'not_found'],
])('%s %s is made once, for all who ask', async (path, code) => {
  const { body } = await answerOf(path, { code })
  expect(body).toBeInstanceOf(Uint8Array)
  expect((await answerOf(path, { code })).body).toBe(body)
})

test('the first search makes the texts that later ones search', async () => {
  const { body } = await answerOf('/docs', { q: 'score' })
  const madeText = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => madeText.mockRestore())
  expect((await answerOf('/docs', { q: 'score' })).body).toBe(body)
  expect(madeText).not.toHaveBeenCalled()
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
      expect(withoutScript(rendered)).not.toMatch(/<script|<img|<b>`|' onmouseover/)
    },
  )
})
