/**
 * The Python package as a customer gets it: built, and installed in a clean environment, on the oldest or the newest Python version of this
 * machine (both in the night). cases.full.contract.test.ts tests its behaviour on the sources.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { drawnWithin, noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  buildPackage,
  cleanEnvironment,
  done,
  findPythons,
  oldestAndNewest,
  packageFolder,
  run,
  setUpTools,
  type Environment,
  type Python,
} from './python.js'

const RUN_TIMEOUT_MS = 600_000
const VERSION = /^version = "(.+)"/m.exec(
  readFileSync(join(packageFolder, 'src/cupel/_version.py'), 'utf8'),
)![1]!
const found = await findPythons()
if (found.length === 0) noteSkip('the Python SDK: there is no Python 3.10 to 3.14 with pip and venv')
const chosen = drawnWithin(
  { name: 'the Python package, versions of Python', minimum: 1 },
  oldestAndNewest(found),
)
const prepared = await Promise.all(chosen.map(async (python) => ({ python, ...(await setUpTools(python)) })))
const usable = prepared.flatMap((one) => ('tools' in one ? [one] : []))
for (const one of prepared)
  if ('missing' in one) noteSkip(`the Python SDK on Python ${one.python.version}: ${one.missing}`)

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

  test('the wheel is of this version, marked as typed, and has only sources', async () => {
    expect(readdirSync(built).sort()).toEqual([
      `cupel-${VERSION}-py3-none-any.whl`,
      `cupel-${VERSION}.tar.gz`,
    ])
    const listed = await done(usable[0]!.python.command, ['-m', 'zipfile', '-l', wheel()])
    const names = listed.split('\n').map((line) => line.split(' ')[0]!)
    const files = names.filter((name) => name.startsWith('cupel'))
    expect(files).toEqual(expect.arrayContaining(['cupel/__init__.py', 'cupel/py.typed', 'cupel/models.py']))
    expect(files.filter((name) => !/\.py$|\/py\.typed$|\.dist-info\//.test(name))).toEqual([])
  })
})

describe.each(usable)('on Python $python.version', ({ python }: { python: Python }) => {
  let environment: Environment
  beforeAll(async () => void (environment = await cleanEnvironment(python, wheel())), RUN_TIMEOUT_MS)
  afterAll(() => environment?.remove())

  test('a clean environment has the package and httpx, and runs it', async () => {
    expect(await done(environment.python, ['-m', 'cupel', '--version'])).toBe(`${VERSION}\n`)
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
})
