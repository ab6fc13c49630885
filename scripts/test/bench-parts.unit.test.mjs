// `npm run bench -- KIND --only PARTS` refuses a part that it does not know, before it measures anything.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const bench = join(import.meta.dirname, '..', 'bench.mjs')

test.each([
  ['ledger', 'seven', 'seven'],
  ['ledger', '7,', ''],
  ['load', 'screen,screens', 'screens'],
  ['watches', 'lists', 'lists'],
  ['archive', 'verify', 'verify'],
])('%s has no part of --only %s', (kind, only, named) => {
  const { status, stderr } = spawnSync(process.execPath, [bench, kind, '--only', only], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  expect(stderr).toContain(`${kind} has no part ${JSON.stringify(named)}.`)
  expect(status).toBe(2)
})
