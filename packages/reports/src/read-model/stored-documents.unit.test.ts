import { createHmac } from 'node:crypto'
import { noMetrics, silentLogger } from '@cupel/contracts'
import {
  LogStoppedError,
  LogUnavailableError,
  type EventCodec,
  type LogRange,
  type TextMacs,
} from '@cupel/event-log'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { documentReader, documentsOf, type DocumentClaim } from './stored-documents.js'
import { documentMac } from './document-mac.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const codec = { partOf: () => (record: object) => record } as unknown as EventCodec
const place = (reportId: string, offset = 0): DocumentClaim => ({
  ...{ reportId, partition: 0, offset },
  ...{ sha256: null, mac: null },
})
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

describe('the document of a row', () => {
  const [TRUE, ALTERED] = ['{"level":"red"}', '{"level":"green"}']
  /** A MAC names its key; whoever has only the tables has none. */
  const macsOf = (...keys: readonly string[]): TextMacs => {
    const made = (key: string, purpose: string, text: string): string =>
      `${key}.${createHmac('sha256', key).update(`${purpose} ${text}`).digest('hex')}`
    return {
      macOf: (purpose, text) => made(keys[0]!, purpose, text),
      isMac: (mac, purpose, text) => keys.some((key) => made(key, purpose, text) === mac),
    }
  }
  const macOf = (macs: TextMacs, document: string, more: object = {}): string =>
    documentMac(macs, { ...of('acc_1'), reportId: 'r1', document, ...more })

  function readerOfRow(macs: TextMacs | undefined) {
    const found = { read: 0, counted: 0, logged: [] as unknown[] }
    const read = documentReader({
      codec,
      log: {
        macs,
        // oxlint-disable-next-line typescript/require-await
        async *read() {
          found.read += 1
          yield [{ reportId: 'r1', accountId: 'acc_1', report: TRUE } as never]
        },
      },
      logger: { ...silentLogger, error: (fields: object) => void found.logged.push(fields) },
      metrics: { ...noMetrics, counter: () => ({ inc: () => void (found.counted += 1) }) },
    })
    const answer = async (document: string | null, mac: string | null): Promise<string | undefined> => {
      const stored = { ...{ reportId: 'r1', partition: 0, offset: 0 }, document, documentMac: mac }
      return (await documentsOf(read, of('acc_1'), [stored]))[0]
    }
    return { found, answer }
  }

  const own = macsOf('a')
  test.each([
    ['another document', ALTERED, macOf(own, TRUE)],
    ['another document and no MAC', ALTERED, null],
    ['no MAC', TRUE, null],
    ['a MAC of another key', ALTERED, macOf(macsOf('foreign'), ALTERED)],
    ['the MAC of another report', ALTERED, macOf(own, ALTERED, { reportId: 'r2' })],
    ['the MAC of another account', ALTERED, macOf(own, ALTERED, { accountId: 'acc_2' })],
    ['the MAC of the other environment', ALTERED, macOf(own, ALTERED, { livemode: false })],
  ])(
    'with %s is not answered: its record is, and the row is counted and named',
    async (_of, document, mac) => {
      const { found, answer } = readerOfRow(own)
      expect(await answer(document, mac)).toBe(TRUE)
      expect(found).toEqual({ read: 1, counted: 1, logged: [{ report_id: 'r1' }] })
      expect(await answer(document, mac)).toBe(TRUE)
      expect(found).toMatchObject({ read: 2, counted: 2, logged: { length: 1 } })
    },
  )

  test('with a sound MAC is answered without its record, also after the key was rotated', async () => {
    const { found, answer } = readerOfRow(macsOf('b', 'a'))
    expect(await answer(TRUE, macOf(own, TRUE))).toBe(TRUE)
    expect(await answer(TRUE, macOf(macsOf('b'), TRUE))).toBe(TRUE)
    expect(found).toEqual({ read: 0, counted: 0, logged: [] })
  })

  test('that retention took is read from its record, and is not altered', async () => {
    const { found, answer } = readerOfRow(own)
    expect(await answer(null, null)).toBe(TRUE)
    expect(found).toEqual({ read: 1, counted: 0, logged: [] })
  })

  test('is believed by a process without record keys', async () => {
    const { found, answer } = readerOfRow(undefined)
    expect(await answer(ALTERED, null)).toBe(ALTERED)
    expect(found).toEqual({ read: 0, counted: 0, logged: [] })
  })
})
