import { LogUnavailableError, MAC_HEADER, type EventLog } from '@cupel/event-log'
import { loadConfig } from '@cupel/kit/service'
import { until } from '@cupel/testkit'
import { diesAt } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startScorer } from '../src/index.js'
import { defaults, openFollowed, type Installation } from './installation.js'

const UNLISTED = '0x00000000000000000000000000000000000abcde'
const REQUESTS = 'screening.screen.events.v1'
const DEAD_LETTERS = 'scorer.interactive.v1.dlq'

let installation: Installation
beforeEach(async () => {
  installation = await openFollowed()
})
afterEach(() => installation.close())

const scorerDies = (point: string): Promise<void> =>
  diesAt(installation.connectionString, point, (deps) => startScorer({ config: loadConfig({}), ...deps }))
const request = () => installation.request(UNLISTED, 'ETH')
const answered = (reportId: string) => until(() => installation.report(reportId))
const requests = (count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, request))

test('a scorer killed between append and checkpoint repeats its work, and the first record stays the report', async () => {
  const reportId = await request()
  await scorerDies('before:scorer.checkpoint:1')
  const [first, ...none] = await installation.answers(reportId)
  expect([first?.type, none]).toEqual(['ReportGenerated', []])
  // If the repeat counted, newer labels at the second reading would change the answer.
  await installation.start()
  await until(async () => expect(await installation.answers(reportId)).toHaveLength(2))
  const [, repeat] = await installation.answers(reportId)
  expect(repeat!.envelope.id).toBe(first!.envelope.id)
  expect((await installation.report(reportId)).generated_at).toBe(first!.envelope.time)
  expect(repeat!.envelope.time > first!.envelope.time).toBe(true)
})

test('a scorer killed before it appends loses nothing', async () => {
  const reportIds = await requests(5)
  await scorerDies('before:scorer.report-generated:1')
  await installation.start()
  for (const reportId of reportIds) await answered(reportId)
})

test('an append that fails is made again, and the checkpoint waits for it', async () => {
  let failures = 3
  const log: EventLog = {
    ...installation.log,
    append: (at, records) => {
      if (at !== 'scorer.report-generated' || failures === 0) return installation.log.append(at, records)
      failures -= 1
      return Promise.reject(new LogUnavailableError('no acknowledgement'))
    },
  }
  await installation.start({ log })
  const reportId = await request()
  await answered(reportId)
  expect(failures).toBe(0)
  await until(async () => expect(await installation.checkpointTotal('scorer.interactive.v1')).toBe(1))
  expect(await installation.records(DEAD_LETTERS)).toEqual([])
})

test('without the database nothing is decided, nothing is lost and nothing is dead-lettered', async () => {
  const scorer = await installation.start()
  await answered(await request())
  installation.databaseLink.cut()
  const reportIds = await requests(20)
  await installation.appendRequest({ key: 'ffffffffffffff00', value: Buffer.from('poison in an outage') })
  await until(() => expect(scorer.checks().some(({ ok }) => !ok)).toBe(true))
  expect((await Promise.all(reportIds.map((id) => installation.answers(id)))).flat()).toEqual([])
  expect(await installation.records(DEAD_LETTERS)).toEqual([])
  installation.databaseLink.restore()
  for (const reportId of reportIds) await answered(reportId)
  await until(async () => expect(await installation.records(DEAD_LETTERS)).toHaveLength(1))
  await until(() => expect(scorer.checks().every(({ ok }) => ok)).toBe(true))
})

test('poison among good requests fails its own screening and delays no other', async () => {
  await installation.start()
  const before = await requests(5)
  const poisoned = 'ffffffffffffff07'
  await installation.appendRequest({ key: poisoned })
  const after = await requests(5)
  for (const reportId of [...before, ...after]) await answered(reportId)
  await until(async () => expect(await installation.records(DEAD_LETTERS)).toHaveLength(1))
  expect(await installation.answers(poisoned)).toMatchObject([
    { type: 'ScreeningFailed', data: { reportId: poisoned, livemode: true, code: 'screening_failed' } },
  ])
  const [letter] = await installation.records(DEAD_LETTERS)
  expect(letter).toMatchObject({ key: poisoned, headers: { topic: REQUESTS } })
  expect(letter!.value!.toString()).toBe('not an event')
  await until(async () => expect(await installation.checkpointTotal('scorer.interactive.v1')).toBe(11))
})

const sides = ['before', 'after'] as const
const failing = ['scorer.screening-failed', 'scorer.dead-letter'] as const

test.each(failing.flatMap((name) => sides.map((side) => `${side}:${name}:1`)))(
  'a scorer killed %s fails poison under one event, and its dead letters are equal',
  async (point) => {
    const poisoned = 'ffffffffffffff07'
    await installation.appendRequest({ key: poisoned })
    await scorerDies(point)
    await installation.start()
    await answered(await request())
    await until(async () => expect(await installation.checkpointTotal('scorer.interactive.v1')).toBe(2))
    const told = (await installation.answers(poisoned)).map(({ type, envelope }) => `${type} ${envelope.id}`)
    expect([new Set(told).size, told[0]]).toEqual([1, expect.stringContaining('ScreeningFailed')])
    const letters = await installation.records(DEAD_LETTERS)
    expect(new Set(letters.map(({ value, headers }) => `${value} ${headers['cause']}`)).size).toBe(1)
  },
)

test.each(sides)('a scorer killed %s a request is deferred answers it once', async (side) => {
  const answerByAt = new Date(Date.now() - 1).toISOString()
  const overdue = await installation.request(UNLISTED, 'ETH', { answerByAt })
  await scorerDies(`${side}:scorer.request-deferred:1`)
  await installation.start()
  await answered(overdue)
  await until(async () => {
    const ids = new Set((await installation.answers(overdue)).map(({ envelope }) => envelope.id))
    expect([ids.size, await installation.checkpointTotal('scorer.interactive.v1')]).toEqual([1, 1])
  })
})

test('an address that cannot be parsed is the fault of its request', async () => {
  await installation.start()
  const reportId = await installation.request('not an address', 'BTC')
  await until(async () =>
    expect(await installation.answers(reportId)).toMatchObject([
      { type: 'ScreeningFailed', data: { accountId: 'acc_test' } },
    ]),
  )
})

test('a flood of bad requests pauses the lane after ten, and good ones open it again', async () => {
  const scorer = await installation.start()
  const deadLettered = async () =>
    new Set((await installation.records(DEAD_LETTERS)).map(({ key }) => key)).size
  for (let n = 0; n < 15; n++)
    await installation.appendRequest({
      key: `ffffffffffffff${n.toString(16).padStart(2, '0')}`,
      partition: 0,
    })
  await until(() =>
    expect(scorer.checks()).toContainEqual({
      name: 'interactive requests',
      ok: false,
      detail: expect.stringContaining('Most of the recent') as string,
    }),
  )
  await until(async () => expect(await deadLettered()).toBe(10))
  const reportIds = await requests(40)
  await until(async () => expect(await deadLettered()).toBe(15))
  for (const reportId of reportIds) await answered(reportId)
})

test('an overdue request is answered on the bulk lane, after the requests that somebody waits for', async () => {
  const answerByAt = new Date(Date.now() - 1).toISOString()
  const overdue = await installation.request(UNLISTED, 'ETH', { answerByAt })
  const config = defaults
  await installation.start({ config: { ...config, CUPEL_SCORER_LANE: 'interactive' } })
  await answered(await request())
  const [moved, ...none] = await until(async () => {
    const records = await installation.records('screening.bulk-screen.events.v1')
    expect(records).toHaveLength(1)
    return records
  })
  const original = (await installation.records(REQUESTS)).find(({ key }) => key === overdue)
  expect(none).toEqual([])
  const headers = { ...original!.headers, [MAC_HEADER]: expect.any(String) as string }
  expect(moved).toMatchObject({ key: overdue, value: original!.value, headers })
  // Its MAC is valid for the topic to which it was moved.
  expect(moved!.headers[MAC_HEADER]).not.toBe(original!.headers[MAC_HEADER])
  expect(await installation.answers(overdue)).toEqual([])
  await installation.start({ config: { ...config, CUPEL_SCORER_LANE: 'bulk' } })
  await answered(overdue)
})

test('a stop finishes what was taken: every checkpoint is at the end and a second scorer repeats nothing', async () => {
  const scorer = await installation.start()
  const reportIds = await requests(50)
  await answered(reportIds[0]!)
  await scorer.stop()
  const rest = await installation.start()
  for (const reportId of reportIds) await answered(reportId)
  await rest.stop()
  for (const reportId of reportIds) expect(await installation.answers(reportId)).toHaveLength(1)
  expect(await installation.checkpointTotal('scorer.interactive.v1')).toBe(50)
})
