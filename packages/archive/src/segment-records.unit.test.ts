import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { markerOf, openSegmentWriter } from './format/container.js'
import { sha256Of, type Segment } from './format/manifest.js'
import { storedOf } from './format/record-type.js'
import { recordsOfSegment, signedBytes } from './segment-records.js'
import type { ArchiveStore } from './store.js'

const LOG = 'the log'
const PLACE = { topic: 'reports', partition: 0 }
/** Two of them fill a block. */
const VALUE_BYTES = 130 * 1024

async function segmentOf(offsets: readonly number[]): Promise<{ segment: Segment; bytes: Buffer }> {
  const [first, next] = [offsets[0]!, offsets.at(-1)! + 1]
  const pieces: Buffer[] = []
  const marker = markerOf(LOG, PLACE.topic, PLACE.partition, first)
  const writer = await openSegmentWriter(marker, async (piece) => void pieces.push(piece))
  for (const offset of offsets)
    await writer.add(storedOf({ ...PLACE, offset, key: '', headers: {}, value: randomBytes(VALUE_BYTES) }))
  await writer.end()
  const bytes = Buffer.concat(pieces)
  const ofFile = { file: 'segment', bytes: bytes.length, sha256: sha256Of(bytes), lastSha256: '' }
  return { bytes, segment: { ...PLACE, ...ofFile, first, next, records: offsets.length, schemaIds: [] } }
}

const blocksOf = async (offsets: readonly number[], from: number, to: number) => {
  const { segment, bytes } = await segmentOf(offsets)
  return [...recordsOfSegment(bytes, segment, LOG, { from, to })].map((block) =>
    block.map(({ offset }) => offset),
  )
}

test('of a segment without gaps only the blocks of the range are unpacked', async () => {
  const dense = [10, 11, 12, 13, 14, 15, 16]
  expect(await blocksOf(dense, 13, 14)).toEqual([[12, 13]])
  expect(await blocksOf(dense, 13, 15)).toEqual([
    [12, 13],
    [14, 15],
  ])
  expect(await blocksOf(dense, 16, 17)).toEqual([[16]])
  expect((await blocksOf(dense, 10, 17)).flat()).toEqual(dense)
  // The offsets of a block are known only when it is read.
  const withGap = [10, 11, 12, 14, 15, 16]
  expect((await blocksOf(withGap, 14, 15)).flat()).toEqual(withGap)
})

test('other work of the process goes on while a large segment is checked', async () => {
  const bytes = Buffer.alloc(48 * 1024 * 1024)
  const { segment } = await segmentOf([0])
  const store = { read: () => Promise.resolve(bytes) } as unknown as ArchiveStore
  let [turns, isRunning] = [0, true]
  const count = (): void => {
    turns += 1
    if (isRunning) setImmediate(count)
  }
  setImmediate(count)
  await signedBytes(store, { ...segment, bytes: bytes.length, sha256: sha256Of(bytes) })
  isRunning = false
  expect(turns).toBeGreaterThan(3)
})
