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

test('each room of the table is a folder with an index', () => {
  for (const [name, ...room] of membersIn('packages').map((member) => member.split('/')))
    if (room.length > 0)
      expect(readdirSync(`${root}/packages/${name}/src/${room.join('/')}`)).toContain('index.ts')
})

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
