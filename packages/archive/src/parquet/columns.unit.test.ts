import { eventSchemas, type EventType } from '@cupel/contracts'
import { expect, test } from 'vitest'
import { columnsOf } from './columns.js'

const types = Object.keys(eventSchemas) as EventType[]

test.each(types)('%s has columns of different names, each of a type that Parquet knows', (type) => {
  const columns = columnsOf(type)
  const names = columns.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const { name, schema } of columns) {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
    expect(schema.at(-1)?.type).toBeDefined()
  }
})

test('fields that may be absent are null, lists of texts stay lists, and other lists are values for JSON', () => {
  const byName = new Map(columnsOf('ReportGenerated').map((column) => [column.name, column]))
  const record = { topic: 't', partition: 0, offset: 0, key: '', value: Buffer.alloc(0), headers: {} }
  const data = {
    customerReference: null,
    levelReasons: ['a'],
    inputs: { labels: [{ a: 1 }], labelSetSeq: 2 ** 40 },
  }
  const valueOf = (name: string) => byName.get(name)!.valueOf({ record, data, isRepeat: false })
  expect(
    ['customer_reference', 'level_reasons', 'inputs_labels', 'inputs_label_set_seq'].map(valueOf),
  ).toEqual([...[null, ['a'], [{ a: 1 }], 1_099_511_627_776n]])
  expect(byName.get('inputs_cluster')?.schema[0]).toMatchObject({
    repetition_type: 'OPTIONAL',
    converted_type: 'JSON',
  })
  expect(valueOf('event_time')).toBeNull()
})
