import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { authorityOrigins } from '@cupel/domain'
import { expect, test } from 'vitest'
import { labelFormats } from '../formats/formats.js'
import { parseRefreshPlan, readRefreshPlan, RefreshPlanError } from './refresh-plan.js'

const list = { set: 'sdn', format: 'ofac-xml', url: 'https://lists.example.org/sdn.xml', every: '6h' }
const plan = (...lists: readonly object[]) => parseRefreshPlan(JSON.stringify({ lists }))

test('an entry is named after its set, asked only on its own host, and bounded', () => {
  expect(plan(list)).toMatchObject([
    {
      name: 'sdn',
      set: 'sdn',
      format: 'ofac-xml',
      place: { kind: 'url', url: list.url, hosts: ['lists.example.org'] },
      everyMs: 21_600_000,
      maxBytes: 268_435_456,
      timeoutMs: 300_000,
      maxAgeMs: undefined,
    },
  ])
  expect(plan({ ...list, url: undefined, path: '/srv/lists' })).toMatchObject([
    { place: { kind: 'path', path: '/srv/lists' } },
  ])
})

test.each<[string, object, string]>([
  ['no place', { url: undefined }, 'either a url or a path'],
  ['two places', { path: '/srv' }, 'either a url or a path'],
  ['a path that depends on where it is started', { url: undefined, path: 'lists' }, 'absolute'],
  ['a download in the clear', { url: 'http://lists.example.org/sdn.xml' }, 'https'],
  ['a password in the url', { url: 'https://a:b@lists.example.org/' }, 'password'],
  ['another scheme', { url: 'file:///etc/passwd' }, 'https'],
  ['every minute', { every: '1m' }, 'out of bounds'],
  ['every year', { every: '365d' }, 'out of bounds'],
  ['a time nobody knows', { every: 'often' }, '6h'],
  ['an unknown format', { format: 'pdf' }, 'format'],
  ['a setting that does not exist', { acceptRemovals: 9 }, 'acceptRemovals'],
  ['a set with a slash', { set: 'a/b' }, 'slash'],
])('%s is refused', (_what, changes, said) => {
  expect(() => plan({ ...list, ...changes })).toThrow(RefreshPlanError)
  expect(() => plan({ ...list, ...changes })).toThrow(said)
})

test.each([
  ['https://sanctionslistservice.ofac.treas.gov/api/download/SDN.XML', ['us-ofac']],
  ['https://www.treasury.gov/ofac/downloads/sdn.xml', ['us-ofac']],
  ['https://ofac.treas.gov.example.org/SDN.XML', []],
  ['https://notofac.treas.gov/SDN.XML', []],
])('%s is the own address of %j', (url, authorities) => {
  expect(plan({ ...list, url })).toMatchObject([{ authorities, whole: false }])
})

test('the operator may say that another url is an authority’s own, and that a file is its whole list', () => {
  const proxied = { ...list, own_address_of: 'us-ofac', whole: true }
  expect(plan(proxied)).toMatchObject([{ authorities: ['us-ofac'], whole: true }])
  expect(() => plan({ ...proxied, url: undefined, path: '/srv/lists' })).toThrow('own_address_of needs a url')
  expect(() => plan({ ...list, own_address_of: 'somebody' })).toThrow(RefreshPlanError)
})

test.each([
  ['ofac', 'us-ofac', 'wc2h-sls-prod-public-published.s3.us-gov-west-1.amazonaws.com'],
  ['un', 'un-sc', 'unsolprodfiles.blob.core.windows.net'],
])(
  'the plan refresh-%s.json in data/ is one that works, and names where %s stores its list',
  (name, authority, host) => {
    const file = fileURLToPath(new URL(`../../../../data/refresh-${name}.json`, import.meta.url))
    expect(readRefreshPlan(file)).toMatchObject([
      { authorities: [authority], place: { hosts: [expect.any(String), host] } },
    ])
  },
)

const root = new URL('../../../../', import.meta.url)
const tableRows = readFileSync(new URL('docs/labels.md', root), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim().replace(/^`(.*)`$/, '$1'))
    return labelFormats.has(cells[1]!) ? [{ format: cells[1]!, source: cells[3]!, plan: cells[5]! }] : []
  })
/** An operator makes files of these. */
const isOwn = ({ plan }: (typeof tableRows)[number]): boolean => plan === 'of your own'

test('each public source that the page of labels names has a plan, and each plan is named there', () => {
  expect(tableRows.map(({ format }) => format).sort()).toEqual([...labelFormats.keys()].sort())
  const authorities = tableRows.filter(
    ({ format }) => labelFormats.get(format)!.wholeAuthorityList !== undefined,
  )
  expect(authorities.filter(isOwn)).toEqual([])
  const named = new Set(tableRows.filter((row) => !isOwn(row)).map(({ plan }) => plan))
  expect([...named].sort()).toEqual(
    readdirSync(new URL('data/', root))
      .filter((file) => file.startsWith('refresh-'))
      .sort(),
  )
})

test.each(tableRows.filter((row) => !isOwn(row)))(
  'the plan of $format works, brings its source, and tells when a list stops changing',
  ({ format, source, plan: name }) => {
    const entries = readRefreshPlan(fileURLToPath(new URL(`data/${name}`, root)))
    for (const entry of entries) {
      expect(entry.changesWithinMs).toBeGreaterThan(0)
      expect(entry.place).toMatchObject({ kind: 'url', url: expect.stringMatching(/^https:/) as string })
    }
    // Another layout of the same list is the same source.
    const formats = tableRows.filter((row) => row.source === source).map((row) => row.format)
    expect(formats).toContain(format)
    expect(entries.every((entry) => formats.includes(entry.format))).toBe(true)
    const authority = authorityOrigins[source]
    expect(entries.every(({ authorities }) => authorities.join() === (authority ?? ''))).toBe(true)
  },
)

test('http is only for this machine', () => {
  expect(plan({ ...list, url: 'http://127.0.0.1:9/sdn.xml' })).toMatchObject([
    { place: { hosts: ['127.0.0.1:9'] } },
  ])
})

test('two lists of one name, and text that is not a plan are refused', () => {
  expect(() => plan(list, list)).toThrow('two lists with the name sdn')
  expect(() => parseRefreshPlan('{')).toThrow('not JSON')
  const twice = '{"lists":[{"set":"sdn","every":"1h","every":"1d"}]}'
  expect(() => parseRefreshPlan(twice)).toThrow('ambiguous at /lists/0/every: ')
  expect(() => parseRefreshPlan('{"lists":[]}')).toThrow(RefreshPlanError)
})
