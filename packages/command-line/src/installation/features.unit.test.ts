/** Restore and verification take what each feature says of its tables; a feature that says nothing, or what another says, would be left out. */
import type { PrimaryTables } from '@cupel/projections'
import { expect, test } from 'vitest'
import { primaryTables } from './features.js'

const features: readonly PrimaryTables[] = primaryTables

const parts: Readonly<Record<string, (tables: PrimaryTables) => object>> = {
  'a replayed event': ({ replay = {} }) => replay,
  'a stating event': ({ stated }) => stated?.events ?? {},
  'a compared table': ({ stated }) => stated?.tables ?? {},
}

test.each(Object.entries(parts))('%s is of one feature', (_, of) => {
  const names = features.flatMap((tables) => Object.keys(of(tables)))
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('a feature whose events are replayed says what they state', () => {
  const silent = features.filter(({ replay, stated }) => replay !== undefined && stated === undefined)
  expect(silent.map(({ migrations }) => migrations)).toEqual([])
})
