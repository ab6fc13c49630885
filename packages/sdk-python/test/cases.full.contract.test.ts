/**
 * The Python SDK has the behaviour and the names of the TypeScript one: its own tests, with the cases of all SDKs, run on its sources with a
 * drawn Python version of this machine and a drawn client.
 */
import { delimiter, join } from 'node:path'
import * as typescriptSdk from '@cupel/sdk'
import { drawnWithin, isLongRun, noteSkip } from '@cupel/testkit'
import { describe, expect, test } from 'vitest'
import { done, findPythons, oldestAndNewest, packageFolder, run, setUpTools, type Python } from './python.js'

const RUN_TIMEOUT_MS = 600_000
const found = await findPythons()
if (found.length === 0) noteSkip('the Python SDK: there is no Python 3.10 to 3.14 with pip and venv')
const chosen = drawnWithin({ name: 'the Python SDK, versions of Python', minimum: 1 }, oldestAndNewest(found))
const clients = drawnWithin({ name: 'the Python SDK, clients', minimum: isLongRun() ? 2 : 1 }, [
  'Cupel',
  'AsyncCupel',
])
const prepared = await Promise.all(chosen.map(async (python) => ({ python, ...(await setUpTools(python)) })))
const usable = prepared.flatMap((one) => ('tools' in one ? [one] : []))
for (const one of prepared)
  if ('missing' in one) noteSkip(`the Python SDK on Python ${one.python.version}: ${one.missing}`)

test.skipIf(found.length === 0)('the Python SDK has a version of Python and its tools', () =>
  expect(usable.length).toBeGreaterThan(0),
)

describe.each(usable)('on Python $python.version', ({ python, tools }: { python: Python; tools: string }) => {
  const env = { PYTHONPATH: [join(packageFolder, 'src'), tools].join(delimiter) }

  test('it has the names of the TypeScript SDK', async () => {
    const script = join(packageFolder, 'test/python/surface.py')
    for (const client of ['Cupel', 'AsyncCupel']) {
      const surface = JSON.parse(await done(python.command, [script, client], { env })) as Surface
      expect(surface).toEqual(surfaceOf(typescriptSdk))
    }
  })

  test(
    'the cases of all SDKs, and its own tests, pass',
    async () => {
      const result = await run(python.command, ['-m', 'pytest', '-q', 'test/python'], {
        cwd: packageFolder,
        env: { ...env, CUPEL_TEST_CLIENTS: clients.join() },
      })
      expect(result.status, result.output).toBe(0)
      expect(result.output).toMatch(/\d{3,} passed/)
    },
    RUN_TIMEOUT_MS,
  )
})

/** Names in snake_case: methods by resource, errors, and the methods of a list. */
interface Surface {
  readonly methods: Readonly<Record<string, readonly string[]>>
  readonly errors: readonly string[]
  readonly list: readonly string[]
  readonly webhooks: readonly string[]
}

function surfaceOf(sdk: typeof typescriptSdk): Surface {
  const client = new sdk.Cupel({ apiKey: 'cpl_test_surface', baseUrl: 'http://localhost' })
  const resources = Object.entries(client).filter(([name]) => name !== 'webhooks')
  const methods = [['', client] as const, ...resources].map(([name, one]) => [snake(name), methodsOf(one)])
  return {
    methods: Object.fromEntries(methods) as Surface['methods'],
    errors: Object.keys(sdk)
      .filter((name) => name.endsWith('Error'))
      .sort(),
    // A JavaScript array is a Python list.
    list: methodsOf(new sdk.ItemList(() => Promise.reject(new Error()))).map((name) =>
      name === 'to_array' ? 'to_list' : name,
    ),
    webhooks: Object.keys(sdk.webhooks).sort(),
  }
}

const methodsOf = (one: unknown): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(one))
    .filter((name) => name !== 'constructor')
    .map(snake)
    .sort()

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
