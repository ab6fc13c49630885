/** Samples, search, problem pages and the collection of Postman say what the API is. */
import { problemCodes, type ProblemCode } from '@cupel/contracts'
import { describe, expect, test, vi } from 'vitest'
import { openapiDocument, describedEndpoints, postmanDocument } from '../src/openapi-document.js'
import {
  entriesOf,
  type Description,
  problemPages,
  renderReferencePage,
  samplesOf,
  createSearch,
  searchPages,
} from '@cupel/gate/reference'

const document = JSON.parse(openapiDocument()) as Description
const { components } = document as unknown as {
  components: { responses: Record<string, { content: Record<string, { examples: object }> }> }
}
const entries = entriesOf(document)

describe('samples', () => {
  test('every operation has one for curl, and those with a method in the SDKs have three', () => {
    const of = new Map(entries.map((entry) => [entry.operation.operationId, samplesOf(entry)]))
    const languages = (operationId: string) => of.get(operationId)!.map(({ language }) => language)
    expect(languages('createScreen')).toEqual(['curl', 'TypeScript', 'Python'])
    expect(languages('getHealth')).toEqual(['curl'])
    for (const entry of entries) {
      expect(samplesOf(entry)[0]!.language).toBe('curl')
      expect(samplesOf(entry)[0]!.code).not.toMatch(/[{}]\w+\}/)
    }
    const page = renderReferencePage(document)
    expect(page).toContain('for await (const item of cupel.reports.list({ address: &#39;0x098B')
    expect(page).toContain('for item in cupel.reports.list(address=&#39;0x098B')
    expect(page).toContain('cupel.bulk.submit([{ address: &#39;0x098B')
    expect(page).toContain(`curl -X POST &quot;$CUPEL_BASE_URL/v1/screen&quot;`)
  })
})

describe('the search', () => {
  test('finds operations, members, messages and problems that have all words', () => {
    const titles = (words: string) => createSearch(document)(words).map(({ title }) => title)
    expect(titles('customer_reference')).toContain('Screen one address')
    expect(titles('bulk.completed')).toContain('A job has ended')
    expect(titles('checksum')).toContain('Chain')
    expect(titles('too_many_jobs')).toContain('too_many_jobs')
    expect(titles('zebra crossing')).toEqual([])
  })

  test('shows its words as text', () => {
    const page = searchPages(document)
    expect(page('"><script>')).not.toContain('<script')
    expect(page('zzz')).toContain('Nothing has all of these words.')
  })
})

const problemPage = problemPages(document)

test.each(Object.keys(problemCodes) as ProblemCode[])('the page of %s names what answers with it', (code) => {
  const page = problemPage(code)
  expect(page).toContain(`&quot;type&quot;: &quot;/problems/${code}&quot;`)
  expect(page).toContain(problemCodes[code].title)
  expect(page.match(/href="\/docs#/g)?.length ?? 0).toBe(
    entries.filter(({ operation }) => answersOf(operation.responses).includes(code)).length,
  )
})

test('the service reads its description once, however many strangers search it and read of problems', async () => {
  const endpoints = describedEndpoints()
  const read = async (path: string, inputs: object): Promise<string> => {
    const { handle } = endpoints.find((one) => one.path === path)!
    const answer = await (handle as (call: object, inputs: object) => unknown)({}, inputs)
    const { body } = answer as { body: string | Uint8Array }
    return Buffer.from(body as string).toString()
  }
  const all = async (): Promise<readonly string[]> => [
    await read('/docs', { query: { q: 'report' } }),
    await read('/docs', { query: {} }),
    await read('/problems/{code}', { path: { code: 'rate_limited' } }),
  ]
  const first = await all()
  const looked = vi.spyOn(Object, 'entries')
  try {
    expect(await all()).toEqual(first)
    await read('/docs', { query: { q: 'an address' } })
    expect(looked).not.toHaveBeenCalled()
  } finally {
    looked.mockRestore()
  }
})

/** Codes that the responses refer to. */
function answersOf(responses: object): readonly string[] {
  return Object.values(responses as Record<string, { $ref?: string }>).flatMap(({ $ref }) => {
    const known = $ref === undefined ? undefined : components.responses[$ref.split('/').at(-1)!]
    return Object.values(known?.content ?? {}).flatMap(({ examples }) => Object.keys(examples))
  })
}

test('the collection of Postman has every operation, with its path, its key and its example', () => {
  interface Request {
    name: string
    request: { method: string; auth?: { type: string }; url: { path: string[] }; body?: { raw: string } }
  }
  const { item } = JSON.parse(postmanDocument()) as { item: { item: Request[] }[] }
  const requests = item.flatMap((folder) => folder.item)
  expect(requests).toHaveLength(entries.length)
  for (const { method, path, operation } of entries) {
    const found = requests.find(
      ({ request }) =>
        request.method === method.toUpperCase() &&
        `/${request.url.path.join('/')}` === path.replaceAll(/\{(\w+)\}/g, ':$1'),
    )!
    expect(found.request.auth?.type).toBe(operation.security?.length === 0 ? 'noauth' : undefined)
    const example = operation.requestBody?.content['application/json']?.example
    if (example !== undefined) expect(JSON.parse(found.request.body!.raw)).toEqual(example)
  }
})
