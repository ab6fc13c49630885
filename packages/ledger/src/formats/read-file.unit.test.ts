import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readFields } from './read-file.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-read-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('two rows that a NUL character joins are refused, never read as the first', async () => {
  const path = join(folder, 'joined.csv')
  writeFileSync(path, '"hash","value"\u0000"0x1","5"\n')
  await expect(readFields(path)).rejects.toThrow('a NUL character stands in the place of a line break')
})
