/**
 * The Python package as a customer gets it: built, installed in a clean environment, typed for strict checkers, and with the behaviour
 * and the names of the TypeScript one. Of the versions of Python that this machine has, the oldest and the newest are tried, and the types
 * are also checked for the newest that the package declares; npm test draws one of each.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as typescriptSdk from '@cupel/sdk'
import { drawnWithin, noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addTools,
  buildPackage,
  cleanEnvironment,
  done,
  findPythons,
  guideSnippets,
  oldestAndNewest,
  packageFolder,
  run,
  setUpPyright,
  setUpTools,
  type Environment,
  type Python,
} from './python.js'

/** The newest Python that the package declares: its types are checked also where it is not installed. */
const NEWEST_VERSION = '3.14'
const RUN_TIMEOUT_MS = 600_000
const found = await findPythons()
if (found.length === 0) noteSkip('the Python SDK: there is no Python 3.10 to 3.14 with pip and venv')
const chosen = drawnWithin({ name: 'the Python SDK, versions of Python', minimum: 1 }, oldestAndNewest(found))
const prepared = await Promise.all(chosen.map(async (python) => ({ python, ...(await setUpTools(python)) })))
const usable = prepared.flatMap((one) => ('tools' in one ? [one] : []))
for (const one of prepared)
  if ('missing' in one) noteSkip(`the Python SDK on Python ${one.python.version}: ${one.missing}`)
const checker = await setUpPyright()
if ('missing' in checker) noteSkip(`the types of the Python SDK: ${checker.missing}`)

let built: string
const wheel = (): string =>
  join(
    built,
    readdirSync(built).find((name) => name.endsWith('.whl'))!,
  )

beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), 'cupel-python-built-'))
  const [first] = usable
  if (first === undefined) return
  expect(await buildPackage(first.python, first.tools, built)).toMatch(/Nothing was published/)
}, RUN_TIMEOUT_MS)
afterAll(() => rmSync(built, { recursive: true, force: true }))

describe.skipIf(found.length === 0)('the Python package', () => {
  test('has a version of Python and its tools', () => expect(usable.length).toBeGreaterThan(0))

  test('the wheel is of this version, marked as typed, and has sources alone', async () => {
    expect(readdirSync(built).sort()).toEqual([
      `cupel-${typescriptSdk.version}-py3-none-any.whl`,
      `cupel-${typescriptSdk.version}.tar.gz`,
    ])
    const listed = await done(usable[0]!.python.command, ['-m', 'zipfile', '-l', wheel()])
    const names = listed.split('\n').map((line) => line.split(' ')[0]!)
    const files = names.filter((name) => name.startsWith('cupel'))
    expect(files).toEqual(expect.arrayContaining(['cupel/__init__.py', 'cupel/py.typed', 'cupel/models.py']))
    expect(files.filter((name) => !/\.py$|\/py\.typed$|\.dist-info\//.test(name))).toEqual([])
  })
})

describe.each(usable)('on Python $python.version', ({ python, tools }: { python: Python; tools: string }) => {
  let environment: Environment
  beforeAll(async () => void (environment = await cleanEnvironment(python, wheel())), RUN_TIMEOUT_MS)
  afterAll(() => environment?.remove())

  test('a clean environment has the package and httpx, and runs it', async () => {
    expect(await done(environment.python, ['-m', 'cupel', '--version'])).toBe(`${typescriptSdk.version}\n`)
    const env = { CUPEL_API_KEY: '', CUPEL_BASE_URL: '' }
    const unset = await run(environment.python, ['-m', 'cupel', 'screen', 'x'], { env })
    expect(unset).toMatchObject({ status: 78, output: expect.stringMatching(/^There is no /) as string })
    const needed = 'from importlib.metadata import distributions as d; print(*sorted(x.name for x in d()))'
    const expected = ['anyio', 'certifi', 'cupel', 'h11', 'httpcore', 'httpx', 'idna', 'typing_extensions']
    const names = (await done(environment.python, ['-c', needed])).trim().split(' ')
    expect(names.filter((name) => name !== 'exceptiongroup')).toEqual(
      expected.filter((name) => names.includes(name) || name !== 'typing_extensions'),
    )
  })

  test('it has the names of the TypeScript SDK', async () => {
    const script = join(packageFolder, 'test/python/surface.py')
    for (const client of ['Cupel', 'AsyncCupel']) {
      const surface = JSON.parse(await done(environment.python, [script, client])) as Surface
      expect(surface).toEqual(surfaceOf(typescriptSdk))
    }
  })

  describe('with tools', () => {
    beforeAll(() => addTools(environment, tools))

    test(
      'the cases of all SDKs, and its own tests, pass',
      async () => {
        const result = await run(environment.python, ['-m', 'pytest', '-q', 'test/python'], {
          cwd: packageFolder,
        })
        expect(result.status, result.output).toBe(0)
        expect(result.output).toMatch(/\d{3,} passed/)
      },
      RUN_TIMEOUT_MS,
    )

    test(
      'mypy accepts the package, its tests, the guide, the examples and a strict consumer, and refuses each fault of a careless one',
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'cupel-mypy-'))
        const mypy = (...args: string[]) =>
          run(environment.python, ['-m', 'mypy', '--strict', '--cache-dir', join(folder, 'cache'), ...args], {
            cwd: packageFolder,
          })
        const snippets = guideSnippets().map((code, index) => {
          const path = join(folder, `snippet_${index}.py`)
          writeFileSync(path, code)
          return path
        })
        try {
          for (const args of [
            ['-p', 'cupel'],
            ['test/python', 'test/consumers/consumer.py', '../../examples/python', ...snippets],
          ])
            expect(await mypy(...args)).toMatchObject({ status: 0 })
          expect(linesAtFault((await mypy('test/consumers/wrong.py')).output)).toHaveLength(4)
        } finally {
          rmSync(folder, { recursive: true, force: true })
        }
      },
      RUN_TIMEOUT_MS,
    )
  })
})

describe.skipIf('missing' in checker || usable.length === 0)('the types of the Python package', () => {
  let folder: string
  let environment: Environment
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cupel-pyright-'))
    cpSync(join(packageFolder, 'test/consumers'), join(folder, 'consumers'), { recursive: true })
    cpSync(join(packageFolder, 'src/cupel'), join(folder, 'cupel'), { recursive: true })
    const { python, tools } = usable[0]!
    environment = await cleanEnvironment(python, wheel())
    // The types of pandas.
    await addTools(environment, tools)
  }, RUN_TIMEOUT_MS)
  afterAll(() => {
    environment?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const versions = [...new Set([...usable.map(({ python }) => python.version), NEWEST_VERSION])]
  test.each(drawnWithin({ name: 'types of the Python SDK, versions of Python', minimum: 1 }, versions))(
    'for Python %s pyright accepts them strictly, and refuses each fault of a careless consumer',
    async (pythonVersion) => {
      const settings = {
        typeCheckingMode: 'strict',
        // Callers without a type checker pass anything.
        reportUnnecessaryIsInstance: false,
        include: ['consumers/consumer.py', 'consumers/wrong.py', 'cupel'],
        pythonVersion,
      }
      writeFileSync(join(folder, 'pyrightconfig.json'), JSON.stringify(settings))
      const program = 'pyright' in checker ? checker.pyright : ''
      const { output } = await run(process.execPath, [
        program,
        ...['--pythonpath', environment.python, '-p', folder, '--outputjson'],
      ])
      const { generalDiagnostics, summary } = JSON.parse(output) as PyrightReport
      const files = readdirSync(join(folder, 'cupel'), { recursive: true, encoding: 'utf8' })
      expect(summary.filesAnalyzed).toBe(2 + files.filter((name) => name.endsWith('.py')).length)
      const errors = generalDiagnostics.filter(({ severity }) => severity === 'error')
      expect(errors.filter(({ file }) => !file.endsWith('consumers/wrong.py'))).toEqual([])
      expect(new Set(errors.map(({ range }) => range.start.line)).size).toBe(4)
    },
    RUN_TIMEOUT_MS,
  )
})

interface PyrightReport {
  readonly generalDiagnostics: readonly {
    readonly file: string
    readonly severity: string
    readonly range: { readonly start: { readonly line: number } }
  }[]
  readonly summary: { readonly filesAnalyzed: number }
}

/** A checker may say several things about one line. */
const linesAtFault = (output: string): readonly string[] => [
  ...new Set([...output.matchAll(/wrong\.py:(\d+)\b.* error:/g)].map(([, line]) => line!)),
]

/** Names in snake_case: methods by resource, errors, and what can be asked of a list. */
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
    // An array of JavaScript is a list of Python.
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
