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

async function valuesOf(path: string): Promise<readonly string[]> {
  const values: string[] = []
  for await (const records of readRecords(path, null))
    values.push(...records.map(({ text }) => text('value')))
  return values
}

/** Bytes of a file that are read at once. */
const PART_BYTES = 65_536

test.each(['é', '😀', '\uFEFF'])(
  '%j is read as it is wherever the parts begin in which the file is read',
  async (character) => {
    const path = join(folder, 'parts.csv')
    const before = 'hash,value\n0x1,'
    for (let inFirst = 0; inFirst <= 4; inFirst += 1) {
      const value = 'x'.repeat(PART_BYTES - before.length - inFirst) + character
      writeFileSync(path, `${before}${value}\n0x2,${character}\n`)
      const values = await valuesOf(path)
      expect(values.map((one) => one.replace(/^x+/, ''))).toEqual([character, character])
    }
  },
)

test('a character that the file cuts refuses it, also after a part without any', async () => {
  const path = join(folder, 'cut.csv')
  const plain = `hash,value\n${'0x1,5\n'.repeat(20_000)}`
  for (const bytes of [[0xc3], [0xc3, 0x0a], [0xff, 0x0a]]) {
    writeFileSync(path, Buffer.concat([Buffer.from(plain), Buffer.from('0x1,'), Buffer.from(bytes)]))
    await expect(valuesOf(path)).rejects.toThrow('the file is not UTF-8')
  }
})
