import { afterEach, beforeEach, expect, test } from 'vitest'
import { openFixture, type Fixture } from '../test/fixture.js'
import { applyChanges } from './apply.js'
import { batchWrite, type Change } from './read-model.js'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  await fixture.database.execute('CREATE TABLE kept (id int4 PRIMARY KEY, text text, number int8, flag bool)')
})
afterEach(() => fixture.close())

const keep = batchWrite({
  name: 'test.keep',
  copiesInto: 'kept',
  columns: { id: 'int4', text: 'text', number: 'int8', flag: 'bool' },
  sql: ({ schema, rows, columns }) =>
    `INSERT INTO ${schema}.kept (${columns}) SELECT ${columns} FROM ${rows} ORDER BY ord ON CONFLICT DO NOTHING`,
})
const texts = ['', 'a\tb', 'a\nb\r\n', String.raw`\N`, String.raw`\.`, '{"a":"\\"}', 'NULL', null, 'Ünï 🐦']
const MANY = 2_345

const rowOf = (id: number, text = texts[id % texts.length]!) => ({
  ...{ id, text, number: id % 7 === 0 ? null : id * 4_000_000_000, flag: id % 2 === 0 },
})
const rows = (count: number) => Array.from({ length: count }, (_, id) => rowOf(id))
const apply = async (changes: readonly Change[]): Promise<void> =>
  await fixture.database.transaction({ at: 'test' }, (transaction) =>
    applyChanges(transaction, 'public', changes),
  )
const kept = async () => await fixture.database.query('SELECT id, text, number, flag FROM kept ORDER BY id')

test.each([1, MANY])('%i rows hold what they were given, whatever characters it has', async (count) => {
  await apply(rows(count).map(keep))
  expect(await kept()).toEqual(rows(count))
})

test('many rows of which one is there already: that one stays as it was, and the others come', async () => {
  await apply([keep(rowOf(3, 'as it was'))])
  await apply([...rows(MANY), rowOf(5, 'a repetition')].map(keep))
  expect(await kept()).toEqual(rows(MANY).map((row) => (row.id === 3 ? rowOf(3, 'as it was') : row)))
})

test('a row that the database refuses fails the transaction, and nothing of it stays', async () => {
  await expect(apply([...rows(MANY), rowOf(MANY, 'a\0b')].map(keep))).rejects.toThrow('invalid byte sequence')
  expect(await kept()).toEqual([])
})
