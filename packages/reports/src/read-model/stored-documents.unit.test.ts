import { LogStoppedError, LogUnavailableError, type EventCodec, type LogRange } from '@cupel/event-log'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { documentReader, type ReportPlace } from './stored-documents.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const codec = { partOf: () => (record: object) => record } as unknown as EventCodec
const place = (reportId: string, offset = 0): ReportPlace => ({ reportId, partition: 0, offset })
const of = (accountId: string) => ({ accountId, livemode: true })

/** A log whose every read waits for `work`. */
const reader = (work: (range: LogRange) => Promise<void>) =>
  documentReader({
    codec,
    log: {
      async *read(range) {
        await work(range)
        yield []
      },
    },
  })

test('a report whose archive does not answer, or is damaged, is one that cannot be read now', async () => {
  const silent = reader(() => new Promise(() => undefined))(of('acc_1'), [place('r1')])
  const isLate = expect(silent).rejects.toBeInstanceOf(LogUnavailableError)
  await vi.advanceTimersByTimeAsync(60_000)
  await isLate
  const damaged = reader(() => Promise.reject(new LogStoppedError('gap', 'A file is missing.')))
  const refused = damaged(of('acc_1'), [place('r1')])
  await expect(refused).rejects.toBeInstanceOf(LogUnavailableError)
  await expect(refused).rejects.toThrow('The report r1 cannot be read: A file is missing.')
})

test('the many reports of one account delay those of another by one', async () => {
  const [started, waiting]: [number[], (() => void)[]] = [[], []]
  const read = reader(async ({ from }) => {
    started.push(from)
    await new Promise<void>((resolve) => void waiting.push(resolve))
  })
  const many = Array.from({ length: 8 }, (_, offset) => place('r1', offset))
  const calls = [1, 2, 3].map(() => read(of('acc_1'), many).catch(() => undefined))
  const other = read(of('acc_2'), [place('r2', 99)]).catch(() => undefined)
  await vi.advanceTimersByTimeAsync(0)
  expect(started).toHaveLength(8)
  for (const end of waiting.splice(0, 2)) end()
  await vi.advanceTimersByTimeAsync(0)
  expect(started.slice(8)).toContain(99)
  while (waiting.length > 0) {
    waiting.shift()!()
    await vi.advanceTimersByTimeAsync(0)
  }
  await Promise.all([...calls, other])
})

test('a record of another account, or of another report, is not given, and the error names its place', async () => {
  const record = { reportId: 'r1', accountId: 'acc_1', report: '{"of":"acc_1"}' }
  const read = documentReader({
    codec,
    log: {
      // oxlint-disable-next-line typescript/require-await
      async *read() {
        yield [record as never]
      },
    },
  })
  expect(await read(of('acc_1'), [place('r1')])).toEqual([record.report])
  const missing = 'screening.report.events.v1/0 has no report'
  await expect(read(of('acc_2'), [place('r1')])).rejects.toThrow(`${missing} r1 at offset 0`)
  await expect(read(of('acc_1'), [place('r2')])).rejects.toThrow(`${missing} r2 at offset 0`)
})
