/** Samples, search, problem pages and the collection of Postman say what the API is. */
import { readFileSync } from 'node:fs'
import { problemCodes, type ProblemCode } from '@cupel/contracts'
import { describe, expect, test, vi } from 'vitest'
import { openapiDocument, describedEndpoints, postmanDocument } from '../src/openapi-document.js'
import {
  entriesOf,
  type Description,
  problemPages,
  renderReferencePage,
  samplesOf,
  sdkCalls,
  createSearch,
  searchPages,
} from '@cupel/gate/reference'

const document = JSON.parse(openapiDocument()) as Description
const { components } = document as unknown as {
  components: { responses: Record<string, { content: Record<string, { examples: object }> }> }
}
const entries = entriesOf(document)

interface Case {
  readonly steps: readonly { readonly call: string }[]
  readonly requests: number | readonly { readonly method: string; readonly path: string }[]
}
/** Each call of an SDK with the requests that it makes, as the suites of both SDKs show it. */
const cases = ['requests', 'answers', 'lists-and-jobs', 'arguments'].flatMap((name) => {
  const file = new URL(`../../../packages/sdk-conformance/cases/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as Case[]
})
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

describe('samples', () => {
  test.each(Object.entries(sdkCalls))(
    'the SDKs make the call of %s with this method',
    (operationId, call) => {
      const entry = entries.find(({ operation }) => operation.operationId === operationId)!
      const path = new RegExp(`^${entry.path.replace('{tile}', '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      for (const code of call) {
        const name = snake(/^[\w.]+/.exec(code!)![0])
        const made = cases.flatMap(({ steps, requests }) =>
          steps[0]?.call === name && typeof requests !== 'number' ? requests : [],
        )
        const isMade = made.some((one) => one.method === entry.method.toUpperCase() && path.test(one.path))
        expect(isMade, name).toBe(true)
      }
    },
  )

  test('every operation has one for curl, and those with a method in the SDKs have three', () => {
    for (const entry of entries) {
      const languages = samplesOf(entry).map(({ language }) => language)
      const all = ['curl', 'TypeScript', 'Python']
      expect(languages).toEqual(Object.hasOwn(sdkCalls, entry.operation.operationId) ? all : ['curl'])
      expect(samplesOf(entry)[0]!.code).not.toMatch(/[{}]\w+\}/)
    }
    const page = renderReferencePage(document)
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
