import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { forbidden } = createRequire(import.meta.url)('../../../.dependency-cruiser.cjs') as {
  forbidden: { name: string }[]
}

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
    // The exit code counts the violations; the answer is on standard output all the same.
    return parse((error as { stdout: string }).stdout)
  }
}
const parse = (text: string): Cruise => JSON.parse(text) as Cruise

test('each boundary rule bites: its fixture is refused by the rule of that name', () => {
  const violations = cruise('packages/testkit/boundary-fixtures').summary.violations
  const bitten = new Set(
    violations
      .filter(({ from, to, rule }) => [from, to].some((path) => path.endsWith(`/${rule.name}.ts`)))
      .map(({ rule }) => rule.name),
  )
  expect([...bitten].sort()).toEqual(forbidden.map((rule) => rule.name).sort())
}, 60_000)
