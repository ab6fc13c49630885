import { expect, test } from 'vitest'
import { LogStoppedError, type EventLog, type LogRange, type LogRecord } from './port.js'
import type { LogCopy } from './follow-front.js'
import { withFront } from './with-front.js'

const PLACE = { topic: 'reports', partition: 0 }
const END = 6

async function* recordsFrom(where: string, { from, to }: LogRange) {
  for (let offset = from; offset < to; offset += 1)
    yield [{ ...PLACE, offset, key: where, value: Buffer.alloc(0), headers: {} }] satisfies LogRecord[]
}

function logCutAt(start: number): EventLog {
  return {
    startOffset: () => Promise.resolve(start),
    endOffset: () => Promise.resolve(END),
    async *read(range: LogRange) {
      if (range.from < Math.min(start, range.to))
        throw new LogStoppedError('truncated-log', 'It was deleted.')
      yield* recordsFrom('log', range)
    },
  } as unknown as EventLog
}

const copyOf = (to: number, from = 0): LogCopy => ({
  rangeOf: () => Promise.resolve({ ...PLACE, from, to }),
  read: (range) => recordsFrom('copy', range),
})

async function readAll(log: EventLog, from = 0, to = END): Promise<string[]> {
  const read: string[] = []
  for await (const records of log.read({ ...PLACE, from, to }))
    read.push(...records.map(({ offset, key }) => `${key} ${offset}`))
  return read
}

test('a range across the cut comes from the copy up to it, and from the log behind it', async () => {
  const log = withFront(logCutAt(3), () => Promise.resolve(copyOf(5)))
  expect(await log.startOffset(PLACE.topic, 0)).toBe(0)
  expect(await readAll(log)).toEqual(['copy 0', 'copy 1', 'copy 2', 'log 3', 'log 4', 'log 5'])
  expect(await readAll(log, 1, 3)).toEqual(['copy 1', 'copy 2'])
  expect(await readAll(log, 3)).toEqual(['log 3', 'log 4', 'log 5'])
})

test('no copy is opened for a log that was not cut, or for what is behind the cut', async () => {
  const unwanted = (): Promise<never> => Promise.reject(new Error('nobody asks'))
  expect(await withFront(logCutAt(0), unwanted).startOffset(PLACE.topic, 0)).toBe(0)
  expect(await readAll(withFront(logCutAt(0), unwanted))).toHaveLength(END)
  expect(await readAll(withFront(logCutAt(3), unwanted), 3)).toHaveLength(END - 3)
})

test('a copy that grew meanwhile is opened again; one with a gap to the log, or none, leaves the log to say what is missing', async () => {
  const grown = [copyOf(2), copyOf(3)]
  const log = withFront(logCutAt(3), (again) => Promise.resolve(grown[again ? 1 : 0]!))
  expect(await readAll(log)).toHaveLength(END)
  for (const copy of [copyOf(2), copyOf(5, 1), null]) {
    const lacking = withFront(logCutAt(3), () => Promise.resolve(copy))
    expect(await lacking.startOffset(PLACE.topic, 0)).toBe(3)
    await expect(readAll(lacking)).rejects.toThrow('It was deleted.')
  }
})

test('a copy that cannot be reached is not taken for a shorter one', async () => {
  const log = withFront(logCutAt(3), () => Promise.reject(new Error('The store is away.')))
  await expect(log.startOffset(PLACE.topic, 0)).rejects.toThrow('The store is away.')
  await expect(readAll(log)).rejects.toThrow('The store is away.')
})

/** A log whose subscription reads the checkpoint of one partition and goes on from there, as often as it is asked. */
function followed(log: EventLog) {
  const given: string[] = []
  const told: string[] = []
  let next = 0
  let wanted: ((place: typeof PLACE) => Promise<{ next: number } | null>) | null = null
  const options = {
    maxBatchRecords: 2,
    checkpoint: () => Promise.resolve({ next, log: 'log' }),
    handle: (batch: { records: readonly LogRecord[]; firstOffset: number; nextOffset: number }) => {
      given.push(batch.records.map(({ key, offset }) => `${key} ${offset}`).join(', '))
      expect(batch.firstOffset).toBe(next)
      next = batch.nextOffset
      return Promise.resolve(undefined)
    },
    onRetry: (error: unknown) => void told.push((error as Error).message),
    onRecovered: () => void told.push('recovered'),
  }
  const inner = {
    ...log,
    identity: () => Promise.resolve('log'),
    subscribe: (inside: { checkpoint: NonNullable<typeof wanted> }) => {
      wanted = inside.checkpoint
      return Promise.resolve({ stop: () => Promise.resolve() })
    },
  } as unknown as EventLog
  return {
    given,
    told,
    async open(openCopy: Parameters<typeof withFront>[1]) {
      const subscription = await withFront(inner, openCopy).subscribe(options as never)
      return { start: () => wanted!(PLACE), stop: () => subscription.stop() }
    },
  }
}

test('a group from before the cut gets what was cut in its batches, and goes on in the log', async () => {
  const { given, told, open } = followed(logCutAt(3))
  const { start } = await open(() => Promise.resolve(copyOf(5)))
  expect(await start()).toMatchObject({ next: 3 })
  expect(given.flatMap((batch) => batch.split(', '))).toEqual(['copy 0', 'copy 1', 'copy 2'])
  expect(await start()).toMatchObject({ next: 3 })
  expect([given.length, told]).toEqual([3, []])
})

test('a group without a copy stays where it is, so that the log stops it', async () => {
  const { given, open } = followed(logCutAt(3))
  const { start } = await open(() => Promise.resolve(null))
  expect([await start(), given]).toMatchObject([{ next: 0 }, []])
})

test('a copy that cannot be read is told, and the next attempt goes on; a stop gives no further batch', async () => {
  const { given, told, open } = followed(logCutAt(3))
  let isDown = true
  const { start, stop } = await open(() =>
    isDown ? Promise.reject(new Error('down')) : Promise.resolve(copyOf(3)),
  )
  await expect(start()).rejects.toThrow('down')
  isDown = false
  expect(await start()).toMatchObject({ next: 3 })
  expect(told).toEqual(['down', 'recovered'])
  await stop()
  const stopped = followed(logCutAt(3))
  const other = await stopped.open(() => Promise.resolve(copyOf(3)))
  await other.stop()
  await expect(other.start()).rejects.toThrow()
  expect([stopped.given, given.length]).toEqual([[], 3])
})

test('a group reads few partitions of the copy at a time, and its lag counts what is left of all', async () => {
  const [partitions, cut] = [Array.from({ length: 9 }, (_, partition) => partition), 3]
  const next = new Map<number, number>()
  const lags: number[] = []
  let [open, most] = [0, 0]
  const copy: LogCopy = {
    rangeOf: (place) => Promise.resolve({ ...place, from: 0, to: cut }),
    async *read(range) {
      most = Math.max(most, (open += 1))
      await new Promise(setImmediate)
      yield* recordsFrom('copy', range)
      open -= 1
    },
  }
  let wanted: ((place: typeof PLACE) => Promise<unknown>) | null = null
  const inner = {
    ...logCutAt(cut),
    identity: () => Promise.resolve('log'),
    subscribe: (inside: { checkpoint: NonNullable<typeof wanted> }) => {
      wanted = inside.checkpoint
      return Promise.resolve({ lag: () => 0 })
    },
  } as unknown as EventLog
  const subscription = await withFront(inner, () => Promise.resolve(copy)).subscribe({
    maxBatchRecords: 2,
    checkpoint: ({ partition }: typeof PLACE) =>
      Promise.resolve({ next: next.get(partition) ?? 0, log: 'log' }),
    handle: ({ partition, nextOffset }: { partition: number; nextOffset: number }) => {
      lags.push(subscription.lag())
      next.set(partition, nextOffset)
      return Promise.resolve(undefined)
    },
  } as never)
  await Promise.all(partitions.map((partition) => wanted!({ ...PLACE, partition })))
  expect([...next.values()]).toEqual(partitions.map(() => cut))
  expect(most).toBe(4)
  expect([lags[0], subscription.lag()]).toEqual([partitions.length * cut, 0])
})
