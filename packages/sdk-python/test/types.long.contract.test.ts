/**
 * The types of the Python package under strict checkers, for the oldest Python on this machine, and for the newest that the
 * package declares.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addTools,
  buildPackage,
  cleanEnvironment,
  findPythons,
  guideSnippets,
  oldestAndNewest,
  packageFolder,
  run,
  setUpPyright,
  setUpTools,
  type Environment,
} from './python.js'

/** The newest Python that the package declares. The types are checked for it even where it is not installed. */
const NEWEST_VERSION = '3.14'
const RUN_TIMEOUT_MS = 600_000
const [oldest] = oldestAndNewest(await findPythons())
if (oldest === undefined)
  noteSkip('the types of the Python SDK: there is no Python 3.10 to 3.14 with pip and venv')
const prepared = oldest === undefined ? { missing: 'there is no Python' } : await setUpTools(oldest)
const checker = await setUpPyright()
for (const part of [prepared, checker])
  if ('missing' in part) noteSkip(`the types of the Python SDK: ${part.missing}`)

describe.skipIf('missing' in prepared || 'missing' in checker)('the types of the Python package', () => {
  let folder: string
  let environment: Environment
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cupel-python-types-'))
    const built = join(folder, 'built')
    const tools = 'tools' in prepared ? prepared.tools : ''
    await buildPackage(oldest!, tools, built)
    const wheel = readdirSync(built).find((name) => name.endsWith('.whl'))!
    environment = await cleanEnvironment(oldest!, join(built, wheel))
    // These include the types of pandas.
    await addTools(environment, tools)
  }, RUN_TIMEOUT_MS)
  afterAll(() => {
    environment?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  test(
    'mypy accepts the package, its tests, the guide, the examples and a strict consumer, and refuses each fault of a careless one',
    async () => {
      const mypy = (...args: string[]) =>
        run(environment.python, ['-m', 'mypy', '--strict', '--cache-dir', join(folder, 'cache'), ...args], {
          cwd: packageFolder,
        })
      const snippets = guideSnippets().map((code, index) => {
        const path = join(folder, `snippet_${index}.py`)
        writeFileSync(path, code)
        return path
      })
      for (const args of [
        ['-p', 'cupel'],
        ['test/python', 'test/consumers/consumer.py', '../../examples/python', ...snippets],
      ])
        expect(await mypy(...args)).toMatchObject({ status: 0 })
      expect(linesAtFault((await mypy('test/consumers/wrong.py')).output)).toHaveLength(4)
    },
    RUN_TIMEOUT_MS,
  )

  test.each([...new Set([oldest?.version ?? NEWEST_VERSION, NEWEST_VERSION])])(
    'for Python %s pyright accepts them strictly, and refuses each fault of a careless consumer',
    async (pythonVersion) => {
      const project = join(folder, `pyright-${pythonVersion}`)
      cpSync(join(packageFolder, 'test/consumers'), join(project, 'consumers'), { recursive: true })
      cpSync(join(packageFolder, 'src/cupel'), join(project, 'cupel'), { recursive: true })
      const settings = {
        typeCheckingMode: 'strict',
        // Callers without a type checker pass any value.
        reportUnnecessaryIsInstance: false,
        include: ['consumers/consumer.py', 'consumers/wrong.py', 'cupel'],
        pythonVersion,
      }
      writeFileSync(join(project, 'pyrightconfig.json'), JSON.stringify(settings))
      const program = 'pyright' in checker ? checker.pyright : ''
      const { output } = await run(process.execPath, [
        program,
        ...['--pythonpath', environment.python, '-p', project, '--outputjson'],
      ])
      const { generalDiagnostics, summary } = JSON.parse(output) as PyrightReport
      const files = readdirSync(join(project, 'cupel'), { recursive: true, encoding: 'utf8' })
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

/** A checker may report several errors for one line. */
const linesAtFault = (output: string): readonly string[] => [
  ...new Set([...output.matchAll(/wrong\.py:(\d+)\b.* error:/g)].map(([, line]) => line!)),
]
