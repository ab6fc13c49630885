import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { forbidden } = createRequire(import.meta.url)('../../../.dependency-cruiser.cjs') as {
  forbidden: { name: string }[]
}
const table = readJson('boundaries.json') as Record<
  'packages' | 'services',
  Record<string, { imports: string[]; tests?: string[] }>
>
const groups = ['packages', 'services'] as const

interface Cruise {
  readonly summary: {
    readonly violations: readonly {
      readonly from: string
      readonly to: string
      readonly rule: { readonly name: string }
    }[]
  }
}

function cruise(...paths: string[]): Cruise {
  const options = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', '--no-progress']
  const bin = fileURLToPath(
    new URL('../../../node_modules/dependency-cruiser/bin/dependency-cruise.mjs', import.meta.url),
  )
  try {
    return parse(
      execFileSync(process.execPath, [bin, ...options, ...paths], {
        cwd: root,
        encoding: 'utf8',
        maxBuffer: 1 << 28,
      }),
    )
  } catch (error) {
    // The exit code counts the violations; standard output has the answer anyway.
    return parse((error as { stdout: string }).stdout)
  }
}
const parse = (text: string): Cruise => JSON.parse(text) as Cruise

test('the table lists every package and service, and nothing else', () => {
  for (const group of groups) expect([...new Set(membersIn(group).map(packageOf))]).toEqual(foldersIn(group))
})

test('each room of the table is a folder with an index, and the package exports it', () => {
  for (const member of membersIn('packages').filter((name) => name.includes('/'))) {
    const [name, room] = member.split('/')
    const { exports } = readJson(`packages/${name}/package.json`) as { exports: Record<string, object> }
    expect(exports).toHaveProperty([`./${room}`, 'cupel-source'], `./src/${room}/index.ts`)
    expect(readdirSync(`${root}/packages/${name}/src/${room}`)).toContain('index.ts')
  }
})

test.each(groups.flatMap((group) => foldersIn(group).map((name) => [group, name] as const)))(
  '%s/%s depends in its package.json on what the table allows',
  (group, name) => {
    const rooms = membersIn(group).filter((member) => packageOf(member) === name)
    const others = (kind: 'imports' | 'tests'): string[] =>
      rooms
        .flatMap((room) => table[group][room]![kind] ?? [])
        .map(packageOf)
        .filter((one) => one !== name)
    const imports = withoutTestkit(others('imports'))
    const tests = withoutTestkit(others('tests')).filter((one) => !imports.includes(one))
    const manifest = readJson(`${group}/${name}/package.json`) as Record<string, Record<string, string>>
    expect(ours(manifest['dependencies'])).toEqual(imports)
    expect(ours(manifest['devDependencies'])).toEqual(tests)
  },
)

test('each boundary rule refuses its fixture', () => {
  const violations = cruise('packages/testkit/boundary-fixtures').summary.violations
  const refusing = new Set(
    violations
      .filter(({ from, to, rule }) => [from, to].some((path) => path.endsWith(`/${rule.name}.ts`)))
      .map(({ rule }) => rule.name),
  )
  const names = new Set(forbidden.map((rule) => rule.name))
  expect([...refusing].sort()).toEqual([...names].sort())
}, 300_000)

const membersIn = (group: (typeof groups)[number]): string[] => Object.keys(table[group]).sort()
/** `watches` of `watches/routes`. */
const packageOf = (member: string): string => member.split('/')[0]!

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(`${root}/${path}`, 'utf8'))
}

function foldersIn(group: string): string[] {
  const entries = readdirSync(`${root}/${group}`, { withFileTypes: true })
  const isMember = (name: string): boolean => readdirSync(`${root}/${group}/${name}`).includes('package.json')
  return entries
    .filter((entry) => entry.isDirectory() && isMember(entry.name))
    .map(({ name }) => name)
    .sort()
}

/** Our packages among the dependencies, without their scope. */
function ours(dependencies: Record<string, string> = {}): string[] {
  return Object.keys(dependencies)
    .filter((name) => name.startsWith('@cupel/'))
    .map((name) => (name === SDK ? 'sdk-typescript' : name.slice('@cupel/'.length)))
    .sort()
}

/** Customers know this package by its own name; every other package has the name of its folder. */
const SDK = '@cupel/sdk'

/** The testkit is a development tool of the workspace: the root's package.json names it. */
function withoutTestkit(names: readonly string[]): string[] {
  return [...new Set(names.filter((name) => name !== 'testkit'))].sort()
}
