import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
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

test.each([
  ['uk', ['uk-ofsi']],
  ['eu', ['eu-fsf']],
  ['opensanctions', []],
])(
  'the plan refresh-%s.json in data/ is one that works, and expects its list to change',
  (name, authorities) => {
    const file = fileURLToPath(new URL(`../../../../data/refresh-${name}.json`, import.meta.url))
    const [entry, ...others] = readRefreshPlan(file)
    expect(others).toEqual([])
    expect(entry!.authorities).toEqual(authorities)
    expect(entry!.changesWithinMs).toBeGreaterThan(0)
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
