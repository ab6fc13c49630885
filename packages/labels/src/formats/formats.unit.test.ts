import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { labelFormats } from './formats.js'

test('docs/labels.md describes every label format in a row of its table', () => {
  const page = readFileSync(new URL('../../../../docs/labels.md', import.meta.url), 'utf8')
  const [, section] = page.split('\n## Formats\n')
  const rows = [...section!.split('\n## ')[0]!.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name)
  expect(rows.sort()).toEqual([...labelFormats.keys()].sort())
})
