// A feature is a folder and a line in each composition: a copy of this checkout without it compiles, keeps its boundaries, and screens.
// What stays behind says so by itself: the schemas of its events, the methods of the SDKs, documents and samples. Tests of other folders that
// use its code go with it.
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyCheckout } from '../copied-checkout.mjs'
import { databaseRightsModule } from '../database-rights.mjs'
import { eventFactsModule, readEvents } from '../event-facts.mjs'
import { memberFiles } from '../members.mjs'

const TABLES = 'packages/command-line/src/installation/features.ts'
const COMMANDS = ['services/cli/src/client/client-program.ts', 'services/cli/src/program.ts']
/** Each feature with the lists that name it. @type {[string, string[]][]} */
const FEATURES = [
  ['audit', ['services/api/src/features.ts', 'services/web/src/features.ts']],
  ['cases', [TABLES, 'services/api/src/features.ts', ...COMMANDS, 'services/web/src/features.ts']],
  ['sharing', [TABLES, 'services/api/src/features.ts', 'services/web/src/features.ts']],
  [
    'watches',
    [
      TABLES,
      'packages/operation/src/health/standstills.ts',
      'services/api/src/features.ts',
      'services/bulk-coordinator/src/start-bulk-coordinator.ts',
      ...COMMANDS,
      'services/web/src/features.ts',
    ],
  ],
]
/** Attacks of a test, and measurements, name tables of every feature. */
const KNOWS_ALL = /^packages\/(system-tests|bench|testkit)\//
/** Tests that name endpoints, commands and tests of every feature. */
const NAMING_ALL = [
  'services/api/test/security-map.unit.test.ts',
  'services/cli/test/nested-options.unit.test.ts',
]
const dependency = (path) => join('node_modules', path)
const VITEST = dependency('vitest/vitest.mjs')
const LIMIT_MS = 900_000
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

describe.each(FEATURES)('without %s', (feature, compositions) => {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-without-a-feature-'))
  const copy = { folder, feature }
  const run = (...args) => runs(folder, ...args)
  /** What still names the feature in the code of the rest, before its lines go. */
  let named = []
  let stating = []

  beforeAll(async () => {
    await copyCheckout(folder)
    const schemas = schemasOf(copy)
    rmSync(join(folder, 'packages', feature), { recursive: true })
    const sources = ['packages', 'services'].flatMap((group) => sourcesIn(folder, join(folder, group)))
    removeTests(copy, sources.filter(isTest))
    const rest = sources.filter((file) => !isTest(file))
    const read = (file) => readFileSync(join(folder, file), 'utf8')
    named = rest
      .filter((file) => !file.includes('/generated/') && read(file).includes(`'@cupel/${feature}`))
      .sort()
    const statement = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\\s+(?:${schemas.join('|')})\\.`)
    stating = rest.filter(
      (file) => !file.includes('/generated/') && !KNOWS_ALL.test(file) && statement.test(read(file)),
    )
    for (const file of named) writeFileSync(join(folder, file), withoutFeature(feature, read(file)))
    removeFromBoundaries(copy)
    await removeFromGenerated(copy)
  }, LIMIT_MS)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('only the lists of what is composed name the feature', () => {
    expect(named).toEqual([...compositions].sort())
  })

  test('no statement of the rest names a table of the feature', () => {
    expect(stating).toEqual([])
  })

  test(
    'the rest compiles, and is built',
    async () => {
      await run(dependency('typescript-native/bin/tsc'), '--noEmit', '-p', 'tsconfig.json')
      await run('scripts/build.mjs')
    },
    LIMIT_MS,
  )

  test(
    'the rest keeps its boundaries',
    async () => {
      const excluded = '(^|/)(dist|boundary-fixtures)/'
      const config = ['--config', '.dependency-cruiser.cjs', '--exclude', excluded]
      await run(dependency('dependency-cruiser/bin/dependency-cruise.mjs'), ...config, 'packages', 'services')
    },
    LIMIT_MS,
  )

  test(
    'the unit tests of the services pass',
    async () => {
      const all = sourcesIn(folder, join(folder, 'services')).filter((file) => file.endsWith('.unit.test.ts'))
      const files = all.filter((file) => !NAMING_ALL.includes(file))
      expect(await run(VITEST, 'run', '--project', 'unit', ...files)).toContain(
        `${files.length} passed (${files.length})`,
      )
    },
    LIMIT_MS,
  )

  test(
    'every service starts on the embedded log, and a transfer is screened',
    async () => {
      const path = 'services/standalone/test/transfers.int.test.ts'
      expect(await run(VITEST, 'run', '--project', 'int', path)).toMatch(/Test Files\s+1 passed/)
    },
    LIMIT_MS,
  )
})

/** Runs a script in the copy and resolves to its output; rejects with it. */
async function runs(folder, program, ...args) {
  const run = promisify(execFile)(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  const { stdout } = await run.catch((error) => Promise.reject(new Error(`${error.stdout}\n${error.stderr}`)))
  return stdout
}

/** The schemas of its tables, and of its view. */
function schemasOf({ folder, feature }) {
  const sql = join(folder, 'packages', feature, 'src/sql')
  const files = existsSync(sql) ? readdirSync(sql) : []
  const own = files.flatMap((file) =>
    [...readFileSync(join(sql, file), 'utf8').matchAll(/CREATE TABLE (\w+)\./g)].map(([, name]) => name),
  )
  const reducers = join(folder, 'packages', feature, 'src/read-model/reducers.ts')
  const view = existsSync(reducers) ? /schema: '(\w+)'/.exec(readFileSync(reducers, 'utf8')) : null
  return [...new Set([...own, ...(view === null ? [] : [view[1]])])]
}

function sourcesIn(folder, start) {
  return readdirSync(start, { withFileTypes: true }).flatMap((entry) => {
    const path = join(start, entry.name)
    if (entry.isDirectory())
      return ['node_modules', 'dist'].includes(entry.name) ? [] : sourcesIn(folder, path)
    return /\.tsx?$/.test(entry.name) ? [relative(folder, path)] : []
  })
}

const isTest = (file) => /\.test\.tsx?$|^(packages|services)\/[^/]+\/test\//.test(file)

/** Tests that use the code of the feature or are named after it, and those that use what goes. */
function removeTests({ folder, feature }, tests) {
  const read = (file) => readFileSync(join(folder, file), 'utf8')
  const left = new Map(tests.map((file) => [file, read(file)]))
  const isOfFeature = (file, text) =>
    text.includes(`'@cupel/${feature}`) || new RegExp(`/${feature}[./]`).test(file)
  let gone = new Set([...left].flatMap(([file, text]) => (isOfFeature(file, text) ? [file] : [])))
  while (gone.size > 0) {
    for (const file of gone) {
      left.delete(file)
      rmSync(join(folder, file))
    }
    const before = gone
    gone = new Set([...left].flatMap(([file, text]) => (usesOne(file, text, before) ? [file] : [])))
  }
}

function usesOne(file, text, gone) {
  return [...text.matchAll(/from '(\.[^']+)\.js'/g)].some(([, path]) =>
    ['.ts', '.tsx'].some((suffix) => gone.has(normalize(join(dirname(file), path)) + suffix)),
  )
}

/** Without the imports of the feature, the entries of what they import, and the imports that only these entries used. */
function withoutFeature(feature, text) {
  const imports = new RegExp(`^import (?:type )?\\{([^}]*)\\} from '@cupel/${feature}(?:/[^']*)?'\\n`, 'gm')
  const names = [...text.matchAll(imports)].flatMap(([, list]) => namesIn(list))
  const rest = text
    .replaceAll(imports, '')
    .replaceAll(new RegExp(`^.*import\\('@cupel/${feature}/.*\\n`, 'gm'), '')
  return withoutUnused(
    names.reduce(
      (left, name) =>
        left
          .replaceAll(new RegExp(`^ +(\\w+: |\\.\\.\\.)?${name}(\\(.*\\))?,\\n`, 'gm'), '')
          .replaceAll(new RegExp(`(?<=\\[)${name}(, )?|, ${name}(?=[,\\]])`, 'g'), ''),
      rest,
    ),
    rest,
  )
}

const namesIn = (list) => list.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))

function withoutUnused(text, before) {
  const uses = (name, of) => of.match(new RegExp(`\\b${name}\\b`, 'g')).length
  return text.replaceAll(/^import (type )?\{([^}]*)\} from ('[^']+')\n/gm, (_line, type = '', list, from) => {
    const used = namesIn(list).filter((entry) => {
      const name = entry.replace('type ', '')
      return uses(name, text) > 1 || uses(name, before) === 1
    })
    return used.length === 0 ? '' : `import ${type}{ ${used.join(', ')} } from ${from}\n`
  })
}

function removeFromBoundaries({ folder, feature }) {
  const file = join(folder, 'boundaries.json')
  const isOther = (member) => member.split('/')[0] !== feature
  const tables = Object.entries(JSON.parse(readFileSync(file, 'utf8'))).map(([group, members]) => {
    const others = Object.entries(members).flatMap(([member, { imports, tests }]) =>
      isOther(member)
        ? [[member, { imports: imports.filter(isOther), ...(tests && { tests: tests.filter(isOther) }) }]]
        : [],
    )
    return [group, Object.fromEntries(others)]
  })
  const table = Object.fromEntries(tables)
  writeFileSync(file, JSON.stringify(table))
  for (const [path, text] of Object.entries(memberFiles(folder, table)))
    writeFileSync(join(folder, path), text)
  for (const member of new Set(
    tables.flatMap(([group, members]) => Object.keys(members).map((one) => `${group}/${one.split('/')[0]}`)),
  ))
    rmSync(join(folder, member, 'node_modules/@cupel', feature), { force: true })
}

/** The events that a restore applies to primary tables of the feature. */
async function replayedEvents(feature) {
  const path = new URL(`../../packages/${feature}/src/primary-tables.ts`, import.meta.url)
  return existsSync(path) ? (await import(path.href))[`${feature}Tables`].replay : {}
}

/** A restore applies no event of the feature any more, and no service has a right to its tables. */
async function removeFromGenerated({ folder, feature }) {
  const replayed = await replayedEvents(feature)
  const file = join(folder, 'schemas/subjects.json')
  const facts = JSON.parse(readFileSync(file, 'utf8'))
  for (const fact of Object.values(facts)) if (fact.record in replayed) fact.restoresTable = false
  writeFileSync(file, JSON.stringify(facts))
  const { topics } = JSON.parse(readFileSync(join(folder, 'deploy/topics.json'), 'utf8'))
  const { subjects } = readEvents(
    folder,
    topics.map(({ name }) => name),
  )
  writeFileSync(join(folder, 'packages/contracts/src/generated/event-facts.ts'), eventFactsModule(subjects))
  const rights = await databaseRightsModule(folder)
  expect(rights).not.toContain(`'${feature}.`)
  writeFileSync(join(folder, 'packages/operation/src/connections/generated/database-rights.ts'), rights)
}
