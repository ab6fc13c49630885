import { UndecodableRecordError } from '@cupel/event-log'
import { beforeEach, expect, test } from 'vitest'
import { createSchemaPatience, type SchemaPatience } from './schema-patience.js'

const PATIENCE_MS = 1_000
const at = (offset: number, partition = 0) => ({ topic: 'notes', partition, offset })
const record = { ...at(7), key: 'a', value: Buffer.alloc(0), headers: {} }
const unknown = new UndecodableRecordError('unknown-schema', record, 'schema 9')

let nowMs: number
let waits: SchemaPatience
beforeEach(() => {
  nowMs = 5_000
  waits = createSchemaPatience(PATIENCE_MS, () => nowMs)
})

test('a record waits from the first time it is read until its time is over', () => {
  expect(waits(unknown, at(7))).toBe(true)
  nowMs += PATIENCE_MS - 1
  expect(waits(unknown, at(7))).toBe(true)
  nowMs += 1
  expect(waits(unknown, at(7))).toBe(false)
  expect(waits(unknown, at(7))).toBe(false)
})

test('the next record of the partition, and the same offset of another one, have a time of their own', () => {
  waits(unknown, at(7))
  nowMs += PATIENCE_MS
  expect(waits(unknown, at(8))).toBe(true)
  expect(waits(unknown, at(7, 1))).toBe(true)
  expect(waits(unknown, at(8))).toBe(true)
})

test('no other error makes a record wait', () => {
  expect(waits(new Error('no such level'), at(7))).toBe(false)
  expect(waits(new UndecodableRecordError('malformed', record, 'cut'), at(7))).toBe(false)
})
