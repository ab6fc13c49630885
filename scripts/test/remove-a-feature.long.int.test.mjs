// A feature is a folder and a line in each composition: a copy of this checkout without `watches` compiles, keeps its boundaries, and screens.
// What stays behind says so by itself: the schemas of its events, the methods of the SDKs, documents and samples. Tests of other folders that
// use its code go with it.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyCheckout } from '../copied-checkout.mjs'
import { databaseRightsModule } from '../database-rights.mjs'
import { eventFactsModule, readEvents } from '../event-facts.mjs'

const FEATURE = 'watches'
const COMPOSITIONS = [
  'packages/command-line/src/installation/features.ts',
  'packages/operation/src/read-models/index.ts',
  'packages/operation/src/health/standstills.ts',
  'services/api/src/features.ts',
  'services/bulk-coordinator/src/start-bulk-coordinator.ts',
  'services/cli/src/client/client-program.ts',
  'services/cli/src/program.ts',
  'services/web/src/features.ts',
]
/** Tests that name endpoints, commands and tests of every feature. */
const NAMING_ALL = [
  'services/api/test/reference-samples.unit.test.ts',
  'services/api/test/security-map.unit.test.ts',
  'services/cli/test/nested-options.unit.test.ts',
]
const dependency = (path) => join('node_modules', path)
const VITEST = dependency('vitest/vitest.mjs')
const LIMIT_MS = 900_000
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

const folder = mkdtempSync(join(tmpdir(), 'cupel-without-a-feature-'))
/** What still names the feature in the code of the rest, before its lines go. */
let named = []

beforeAll(async () => {
  await copyCheckout(folder)
  rmSync(join(folder, 'packages', FEATURE), { recursive: true })
  const sources = ['packages', 'services'].flatMap((group) => sourcesIn(join(folder, group)))
  removeTests(sources.filter(isTest))
  const rest = sources.filter((file) => !isTest(file))
  named = rest.filter((file) => read(file).includes(`'@cupel/${FEATURE}`)).sort()
  for (const file of named) writeFileSync(join(folder, file), withoutFeature(read(file)))
  removeFromManifests()
  removeFromBoundaries()
  await removeFromGenerated()
}, LIMIT_MS)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('only the lists of what is composed name the feature', () => {
  expect(named).toEqual(COMPOSITIONS)
})

test(
  'the rest compiles, and is built',
  async () => {
    await runs(dependency('typescript-native/bin/tsc'), '--noEmit', '-p', 'tsconfig.json')
    await runs('scripts/build.mjs')
  },
  LIMIT_MS,
)

test(
  'the rest keeps its boundaries',
  async () => {
    const excluded = '(^|/)(dist|boundary-fixtures)/'
    const config = ['--config', '.dependency-cruiser.cjs', '--exclude', excluded]
    await runs(dependency('dependency-cruiser/bin/dependency-cruise.mjs'), ...config, 'packages', 'services')
  },
  LIMIT_MS,
)

test(
  'the unit tests of the services pass',
  async () => {
    const all = sourcesIn(join(folder, 'services')).filter((file) => file.endsWith('.unit.test.ts'))
    const files = all.filter((file) => !NAMING_ALL.includes(file))
    expect(await runs(VITEST, 'run', '--project', 'unit', ...files)).toContain(
      `${files.length} passed (${files.length})`,
    )
  },
  LIMIT_MS,
)

test(
  'every service starts on the embedded log, and a transfer is screened',
  async () => {
    const path = 'services/standalone/test/transfers.int.test.ts'
    expect(await runs(VITEST, 'run', '--project', 'int', path)).toMatch(/Test Files\s+1 passed/)
  },
  LIMIT_MS,
)

/** Runs a script in the copy and resolves to its output; rejects with it. */
async function runs(program, ...args) {
  const run = promisify(execFile)(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1' },
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  const { stdout } = await run.catch((error) => Promise.reject(new Error(`${error.stdout}\n${error.stderr}`)))
  return stdout
}

function sourcesIn(start) {
  return readdirSync(start, { withFileTypes: true }).flatMap((entry) => {
    const path = join(start, entry.name)
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sourcesIn(path)
    return /\.tsx?$/.test(entry.name) ? [relative(folder, path)] : []
  })
}

const read = (file) => readFileSync(join(folder, file), 'utf8')

const isTest = (file) => /\.test\.tsx?$|^(packages|services)\/[^/]+\/test\//.test(file)

/** Tests that use the code of the feature or are named after it, and those that use what goes. */
function removeTests(tests) {
  const left = new Map(tests.map((file) => [file, read(file)]))
  const isOfFeature = (file, text) =>
    text.includes(`'@cupel/${FEATURE}`) || new RegExp(`/${FEATURE}[./]`).test(file)
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

/** Without the imports of the feature and the entries of what they import. */
function withoutFeature(text) {
  const imports = new RegExp(`^import (?:type )?\\{([^}]*)\\} from '@cupel/${FEATURE}(?:/[^']*)?'\\n`, 'gm')
  const names = [...text.matchAll(imports)].flatMap(([, list]) => list.split(',').map((name) => name.trim()))
  const rest = text
    .replaceAll(imports, '')
    .replaceAll(new RegExp(`^.*import\\('@cupel/${FEATURE}/.*\\n`, 'gm'), '')
  return names.reduce(
    (left, name) =>
      left
        .replaceAll(new RegExp(`^ +(\\w+: |\\.\\.\\.)?${name},\\n`, 'gm'), '')
        .replaceAll(new RegExp(`(?<=\\[)${name}(?=\\])`, 'g'), ''),
    rest,
  )
}

function removeFromManifests() {
  for (const group of ['packages', 'services'])
    for (const name of readdirSync(join(folder, group))) {
      const file = join(group, name, 'package.json')
      const manifest = JSON.parse(read(file))
      for (const kind of ['dependencies', 'devDependencies']) delete manifest[kind]?.[`@cupel/${FEATURE}`]
      writeFileSync(join(folder, file), JSON.stringify(manifest))
      rmSync(join(folder, group, name, 'node_modules/@cupel', FEATURE), { force: true })
    }
}

function removeFromBoundaries() {
  const isOther = (member) => member.split('/')[0] !== FEATURE
  const tables = Object.entries(JSON.parse(read('boundaries.json'))).map(([group, members]) => {
    const others = Object.entries(members).flatMap(([member, { imports, tests }]) =>
      isOther(member)
        ? [[member, { imports: imports.filter(isOther), ...(tests && { tests: tests.filter(isOther) }) }]]
        : [],
    )
    return [group, Object.fromEntries(others)]
  })
  writeFileSync(join(folder, 'boundaries.json'), JSON.stringify(Object.fromEntries(tables)))
}

/** A restore applies no event of the feature any more, and no service has a right to its tables. */
async function removeFromGenerated() {
  const { watchesTables } = await import(
    new URL(`../../packages/${FEATURE}/src/primary-tables.ts`, import.meta.url).href
  )
  const file = join(folder, 'schemas/subjects.json')
  const facts = JSON.parse(readFileSync(file, 'utf8'))
  for (const fact of Object.values(facts)) if (fact.record in watchesTables.replay) fact.restoresTable = false
  writeFileSync(file, JSON.stringify(facts))
  const { topics } = JSON.parse(read('deploy/topics.json'))
  const { subjects } = readEvents(
    folder,
    topics.map(({ name }) => name),
  )
  writeFileSync(join(folder, 'packages/contracts/src/generated/event-facts.ts'), eventFactsModule(subjects))
  const rights = await databaseRightsModule(folder)
  expect(rights).not.toContain(`'${FEATURE}.`)
  writeFileSync(join(folder, 'packages/operation/src/connections/generated/database-rights.ts'), rights)
}
