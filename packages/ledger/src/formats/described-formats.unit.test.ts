import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ledgerFormatNames } from './formats.js'

test('docs/ledger.md describes every ledger format in a row of its table', () => {
  const page = readFileSync(new URL('../../../../docs/ledger.md', import.meta.url), 'utf8')
  const table = page.split('\n\n').find((part) => /^\| format\b/i.test(part)) ?? ''
  const rows = [...table.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name)
  expect(rows.sort()).toEqual([...ledgerFormatNames].sort())
})
