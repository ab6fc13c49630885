import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../setup.mjs'

/** Code that breaks a rule, by the place where the rule is in force. */
const faults = [
  ['typescript(no-floating-promises)', 'packages/a/src/a.ts', 'Promise.resolve(1)'],
  ['typescript(await-thenable)', 'packages/a/src/b.ts', 'await 1'],
  ['typescript(no-misused-promises)', 'packages/a/src/c.ts', 'if (Promise.resolve(1)) process.exit(1)'],
  [
    'typescript(switch-exhaustiveness-check)',
    'packages/a/src/d.ts',
    `export const f = (x: 'a' | 'b'): void => { switch (x) { case 'a': } }`,
  ],
  [
    'typescript(consistent-type-imports)',
    'packages/a/src/e.ts',
    `import { A } from './types.js'; export type B = A`,
  ],
  ['typescript(no-explicit-any)', 'packages/a/src/f.ts', 'export const a: any = 1'],
  ['eslint(no-unused-vars)', 'packages/a/src/g.ts', 'const a = 1'],
  ['eslint(eqeqeq)', 'packages/a/src/h.ts', 'export const f = (a: string): boolean => a == "1"'],
  ['eslint(no-console)', 'packages/a/src/i.ts', 'console.log(1)'],
  ['eslint(no-empty)', 'packages/a/src/j.ts', 'try { process.exit(1) } catch {}'],
  ['eslint(max-lines)', 'packages/a/test/k.ts', `export {}${'\n// A line.'.repeat(400)}`],
  [
    'eslint(max-lines-per-function)',
    'services/a/src/l.tsx',
    `export function f(): void {${'\n'.repeat(2)}${'process.exit(1)\n'.repeat(70)}}`,
  ],
  [
    'eslint(no-restricted-imports)',
    'packages/domain/src/a.ts',
    `import { join } from 'node:path'; export { join }`,
  ],
  [
    'eslint(no-restricted-globals)',
    'packages/domain/src/b.ts',
    'export const f = (): string => process.version',
  ],
  [
    'eslint(no-restricted-properties)',
    'packages/domain/src/c.ts',
    'export const f = (): number => Date.now()',
  ],
  ['cupel(no-clock)', 'packages/domain/src/d.ts', 'export const f = (): Date => new Date()'],
  ['cupel(no-test-switched-off)', 'packages/a/src/a.unit.test.ts', 'test.skip("a", () => undefined)'],
  ['cupel(wait-with-until)', 'packages/a/src/b.unit.test.ts', 'vi.waitFor(() => undefined)'],
]
/** The same in places where it is allowed. */
const allowed = [
  ['scripts/a.mjs', 'console.log(1)'],
  ['packages/domain/src/a.unit.test.ts', 'export const f = () => new Date()'],
  ['packages/a/src/c.unit.test.ts', 'test.skipIf(process.platform === "win32")("a", () => undefined)'],
]

let folder
let output
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-lint-'))
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), `${text}\n`)
  }
  for (const name of ['.oxlintrc.json', 'scripts/lint/rules.mjs'])
    cpSync(join(root, name), join(folder, name))
  write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: { strict: true, module: 'NodeNext', target: 'ES2023' } }),
  )
  write('package.json', JSON.stringify({ type: 'module' }))
  write('packages/a/src/types.ts', 'export interface A { readonly a: number }')
  write(
    'globals.d.ts',
    'declare const process: { version: string; platform: string; exit(code: number): void }; declare const console: { log(a: number): void }; declare const test: any; declare const vi: any',
  )
  for (const [, path, text] of faults) write(path, text)
  for (const [path, text] of allowed) write(path, text)
  const [oxlint, types] = ['oxlint/bin/oxlint', '.bin/tsgolint'].map((name) =>
    join(root, 'node_modules', name),
  )
  const env = { PATH: process.env.PATH, OXLINT_TSGOLINT_PATH: types }
  const run = spawnSync(process.execPath, [oxlint, '--format', 'unix'], {
    cwd: folder,
    encoding: 'utf8',
    env,
  })
  output = run.stdout + run.stderr
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const toldOf = (path) =>
  output.split('\n').filter((line) => line.startsWith(path) || line.includes(`/${path}`))

test.each(faults)('%s rejects its fault', (rule, path) => {
  expect(toldOf(path).join('\n')).toContain(rule)
})

test.each(allowed)('%s may do what others may not', (path) => {
  expect(toldOf(path)).toEqual([])
})
