import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readFields, readRecords } from './read-file.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-read-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('two rows that a NUL character joins are refused, never read as the first', async () => {
  const path = join(folder, 'joined.csv')
  writeFileSync(path, '"hash","value"\u0000"0x1","5"\n')
  await expect(readFields(path)).rejects.toThrow('a NUL character stands in the place of a line break')
})

test.each([
  ['of the line', '{"hash":"0x1","value":"5","value":"0"}'],
  ['of a part of a list', '{"hash":"0x1","outputs":[{"value":5,"value":0}]}'],
  ['with another spelling', '{"hash":"0x1","value":"5","\\u0076alue":"0"}'],
])('a member %s that is named twice refuses the file, never the first of its values', async (_name, line) => {
  const path = join(folder, 'twice.json')
  writeFileSync(path, `${line}\n`)
  await expect(readRecords(path, null).next()).rejects.toThrow('the line names a member twice')
  writeFileSync(path, '{"hash":"a \\"value\\": b","value":": \\\\","":[{"value":1},{"value":2}]}\n')
  const records = await readRecords(path, null).next()
  expect(records.value?.[0]?.text('value')).toBe(': \\')
})

test.each([
  ['has both values', 'hash,value,value\n0x1,5,0\n'],
  ['has one value', 'hash,value,value\n0x1,5\n'],
  ['has no rows', 'hash,value, value\n'],
])('a column that is named twice refuses the file that %s, never one of the two', async (_name, text) => {
  const path = join(folder, 'columns.csv')
  writeFileSync(path, text)
  const twice = 'the heading names a column twice: value'
  await expect(readFields(path)).rejects.toThrow(twice)
  await expect(readRecords(path, null).next()).rejects.toThrow(twice)
})
