/** Idempotency-Key on POST /v1/screen: one key does one piece of work, for any caller, any number of calls and any failure between. */
import { forgetOldReservations } from '@cupel/gate/access'
import { LogUnavailableError, type EventLog } from '@cupel/event-log'
import fc from 'fast-check'
import { until } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { storedKeyOf } from '@cupel/gate/calls'
import type { RunningApi } from '../src/start-api.js'
import { canonicalJson } from '@cupel/gate/http'
import { ADDRESS, call, type Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let one: RunningApi
let two: RunningApi
let key: string
let accountId: string
beforeAll(async () => {
  installation = await startInstallation()
  one = await installation.api()
  two = await installation.api({ config: { CUPEL_INSTANCE: 1 } })
  ;({ key, accountId } = await installation.key())
})
afterEach(async () => {
  installation.scorer.answer = 'report'
  await installation.scorer.release()
})
afterAll(() => installation.stop())

let keys = 0
const newIdempotencyKey = (): string => `order-${(keys += 1)}`
const idOf = (reply: Reply): unknown => reply.json()['report_id']

function post(
  api: RunningApi,
  idempotencyKey: string,
  body: object | string = { address: ADDRESS },
  apiKey = key,
): Promise<Reply> {
  return call(api.url, 'POST', '/v1/screen', {
    key: apiKey,
    headers: { 'idempotency-key': idempotencyKey },
    body,
  })
}

/** Ends the lease, as if the process that held it had died. */
async function endLease(idempotencyKey: string): Promise<void> {
  await installation.database.execute(
    `UPDATE access.idempotency SET lease_until = now() - interval '1 second' WHERE idempotency_key = $1`,
    [storedKeyOf(idempotencyKey)],
  )
}

async function reservations(idempotencyKey: string): Promise<{ work_id: string }[]> {
  return await installation.database.query(
    'SELECT work_id FROM access.idempotency WHERE idempotency_key = $1',
    [storedKeyOf(idempotencyKey)],
  )
}

async function requestsOf(reportId: unknown): Promise<number> {
  return (await installation.requests()).filter((request) => request.reportId === reportId).length
}

test('the same request is answered with the same report, on any instance, and says that it is a repeat', async () => {
  const order = newIdempotencyKey()
  const first = await post(one, order, { address: ADDRESS, chain: 'ETH', customer_reference: 'a' })
  expect([first.status, first.headers['idempotency-replayed']]).toEqual([200, undefined])
  for (const api of [one, two]) {
    // The same JSON, written differently.
    const again = await post(
      api,
      order,
      `{"customer_reference":"a", "chain":"\\u0045TH","address":"${ADDRESS}"}`,
    )
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.headers['location']).toBe(first.headers['location'])
    expect(again.headers['ratelimit']).toMatch(/^"enterprise";r=\d+;t=\d+$/)
  }
  expect(await requestsOf(idOf(first))).toBe(1)
})

test('another request under the same key is 422, and leaves the first as it was', async () => {
  const order = newIdempotencyKey()
  const first = await post(one, order)
  const other = await post(two, order, { address: ADDRESS, customer_reference: 'another' })
  expect(other.json()).toMatchObject({ status: 422, code: 'idempotency_mismatch' })
  expect((await post(two, order)).text).toBe(first.text)
})

test('keys of other accounts and of the other environment are other keys', async () => {
  const order = newIdempotencyKey()
  const stranger = await installation.key()
  const sandbox = await installation.key({ accountId, environment: 'test' })
  const replies = [
    await post(one, order),
    await post(one, order, undefined, stranger.key),
    await post(one, order, undefined, sandbox.key),
  ]
  expect(replies.map((reply) => [reply.status, reply.headers['idempotency-replayed']])).toEqual([
    [200, undefined],
    [200, undefined],
    [200, undefined],
  ])
  expect(new Set(replies.map(idOf)).size).toBe(3)
  // Another key of the same account and environment counts as the same caller.
  const colleague = await installation.key({ accountId })
  expect((await post(two, order, undefined, colleague.key)).text).toBe(replies[0]!.text)
})

test('while the first is being answered, a repeat is 409 with Retry-After', async () => {
  const order = newIdempotencyKey()
  installation.scorer.answer = 'hold'
  const first = post(one, order)
  await until(() => expect(installation.scorer.held()).toHaveLength(1))
  for (const api of [one, two]) {
    const early = await post(api, order)
    expect(early.json()).toMatchObject({ status: 409, code: 'idempotency_in_progress' })
    expect(early.headers['retry-after']).toBe('1')
  }
  await installation.scorer.release()
  expect((await post(two, order)).text).toBe((await first).text)
})

test('of 200 equal requests at once over two instances one works, and all answers are that one or 409', async () => {
  const order = newIdempotencyKey()
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) => post(index % 2 === 0 ? one : two, order)),
  )
  const answered = replies.filter((reply) => reply.status === 200)
  const others = replies.filter((reply) => reply.status !== 200)
  expect(answered.length).toBeGreaterThan(0)
  expect(new Set(answered.map((reply) => reply.text)).size).toBe(1)
  expect(answered.filter((reply) => reply.headers['idempotency-replayed'] === undefined)).toHaveLength(1)
  for (const reply of others)
    expect(reply.json()).toMatchObject({ status: 409, code: 'idempotency_in_progress' })
  expect(await requestsOf(idOf(answered[0]!))).toBe(1)
  expect(await reservations(order)).toHaveLength(1)
})

test('a retry after 503 returns the report of the first call', async () => {
  const hasty = await installation.api({ config: { CUPEL_INSTANCE: 2, CUPEL_SCREEN_DEADLINE_MS: 1_500 } })
  const order = newIdempotencyKey()
  installation.scorer.answer = 'hold'
  const late = await post(hasty, order)
  expect(late.json()).toMatchObject({ status: 503, code: 'screening_timeout' })
  await installation.scorer.release()
  installation.scorer.answer = 'report'
  const retry = await until(async () => {
    const reply = await post(two, order)
    expect(reply.status).toBe(200)
    return reply
  })
  expect(idOf(retry)).toBe(idOf(late))
})

describe('where the first attempt died', () => {
  test('after its request was taken, the retry returns its report', async () => {
    const order = newIdempotencyKey()
    installation.scorer.answer = 'hold'
    const lost = post(one, order)
    await until(() => expect(installation.scorer.held()).toHaveLength(1))
    const [reserved] = await reservations(order)
    await endLease(order)
    // The other instance does not follow the partition this report id names.
    const retry = post(two, order)
    await installation.scorer.release()
    installation.scorer.answer = 'report'
    const reply = await retry
    expect([reply.status, idOf(reply)]).toEqual([200, reserved!.work_id])
    expect((await lost).text).toBe(reply.text)
  })

  test('before its request was taken, the retry does the work under the same id', async () => {
    const log: EventLog = {
      ...installation.log,
      append: async (at, records) => {
        if (at === 'api.report-epoch-claimed') return await installation.log.append(at, records)
        throw new LogUnavailableError('told to')
      },
    }
    const broken = await installation.api({ config: { CUPEL_INSTANCE: 3 }, log })
    const order = newIdempotencyKey()
    expect((await post(broken, order)).json()).toMatchObject({ status: 503, code: 'unavailable' })
    const [reserved] = await reservations(order)
    // A fault releases the key at once: the retry does not have to wait for the lease.
    const retry = await post(two, order)
    expect([retry.status, idOf(retry)]).toEqual([200, reserved!.work_id])
    expect((await post(one, order)).text).toBe(retry.text)
  })

  test('in a screening that failed, the retry is a new screening: only successes are kept', async () => {
    const order = newIdempotencyKey()
    installation.scorer.answer = 'fail'
    const failed = await post(one, order)
    expect(failed.json()).toMatchObject({ status: 500, code: 'screening_failed' })
    installation.scorer.answer = 'report'
    const retry = await post(two, order)
    expect(retry.status).toBe(200)
    expect(idOf(retry)).not.toBe(idOf(failed))
    expect((await post(one, order)).text).toBe(retry.text)
  })
})

test.each([
  ['a malformed body', { addres: ADDRESS }, 400],
  ['an invalid address', { address: '0x1' }, 400],
  ['an unsupported chain', { address: ADDRESS, chain: 'XYZ' }, 422],
  ['a chain the address is not of', { address: ADDRESS, chain: 'BTC' }, 422],
])('%s stores nothing', async (_name, body, status) => {
  const order = newIdempotencyKey()
  expect((await post(one, order, body)).status).toBe(status)
  expect(await reservations(order)).toEqual([])
  expect((await post(one, order)).status).toBe(200)
})

test('a call that is refused at the gate stores nothing', async () => {
  const order = newIdempotencyKey()
  const reader = await installation.key({ accountId, scope: 'read-only' })
  expect((await post(one, order, undefined, reader.key)).status).toBe(403)
  expect((await post(one, order, undefined, 'nonsense')).status).toBe(401)
  expect(await reservations(order)).toEqual([])
})

test.each([
  ['', 400],
  ['a b', 400],
  ['schlüssel', 400],
  ['x'.repeat(256), 400],
  ['x'.repeat(255), 200],
  ['"quoted"', 200],
])('the key %s is answered %i', async (idempotencyKey, status) => {
  const header = Buffer.from(idempotencyKey).toString('latin1')
  expect((await post(one, header)).status).toBe(status)
})

test('a key stands for a day, then for the next request; old ones are deleted', async () => {
  const order = newIdempotencyKey()
  const first = await post(one, order)
  const age = (interval: string) =>
    installation.database.execute(
      `UPDATE access.idempotency SET created_at = now() - $2::interval WHERE idempotency_key = $1`,
      [storedKeyOf(order), interval],
    )
  await age('23 hours 59 minutes')
  expect((await post(two, order)).text).toBe(first.text)
  await age('24 hours 1 second')
  const next = await post(two, order, { address: ADDRESS, customer_reference: 'tomorrow' })
  expect(next.status).toBe(200)
  expect(idOf(next)).not.toBe(idOf(first))
  await age('25 hours')
  expect(await forgetOldReservations(installation.database)).toBe(1)
  expect(await reservations(order)).toEqual([])
})

/** Actions of a client with one Idempotency-Key, and faults of the service between them. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('post' as const), at: fc.nat(1), body: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'end-lease' as const }) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'fail' as const }, { do: 'mend' as const }) },
)

test('whatever the history, one key is one report', async () => {
  const bodies = [{ address: ADDRESS }, { address: ADDRESS, customer_reference: 'other' }]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
      async (rounds) => {
        const order = newIdempotencyKey()
        let winner: { body: number; text: string } | null = null
        installation.scorer.answer = 'report'
        for (const round of rounds) {
          // The steps of a round run at once, the rounds one after the other.
          const replies = await Promise.all(
            round.map(async (each) => {
              if (each.do === 'end-lease') await endLease(order)
              else if (each.do === 'fail') installation.scorer.answer = 'fail'
              else if (each.do === 'mend') installation.scorer.answer = 'report'
              else
                return {
                  body: each.body,
                  reply: await post(each.at === 0 ? one : two, order, bodies[each.body]),
                }
              return null
            }),
          )
          for (const { body, reply } of replies.filter((each) => each !== null)) {
            const code = reply.status === 200 ? 'ok' : reply.json()['code']
            if (code === 'ok') {
              winner ??= { body, text: reply.text }
              expect({ body, text: reply.text }).toEqual(winner)
            } else
              expect(['idempotency_mismatch', 'idempotency_in_progress', 'screening_failed']).toContain(code)
          }
          // The first answer stays: the same body gets the same report, another body gets 422.
          if (winner === null) continue
          for (const body of [0, 1]) {
            const check = await post(two, order, bodies[body])
            if (body === winner.body) expect([check.status, check.text]).toEqual([200, winner.text])
            else expect(check.json()).toMatchObject({ code: 'idempotency_mismatch' })
          }
        }
      },
    ),
    { numRuns: 40 },
  )
})

test('the same JSON has one text, whatever its order and spelling', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(canonicalJson(JSON.parse(text))).toBe(text)
      expect(canonicalJson(reversed(value))).toBe(text)
    }),
  )
  expect(canonicalJson({ b: [1.0, 'é'], a: { d: null, c: 1e2 } })).toBe(
    '{"a":{"c":100,"d":null},"b":[1,"é"]}',
  )
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).reverse()
  return Object.fromEntries(members.map(([name, member]) => [name, reversed(member)]))
}

test.each<[string, object, object]>([
  ['the chain in another case', { chain: 'eth' }, { chain: 'ETH' }],
  ['null for a member that is left out', { chain: null, customer_reference: null }, {}],
])('a repeat with %s is the same request', async (_what, first, second) => {
  const order = newIdempotencyKey()
  const made = await post(one, order, { address: ADDRESS, ...first })
  expect(made.status).toBe(200)
  const repeat = await post(one, order, { address: ADDRESS, ...second })
  expect([repeat.status, repeat.text]).toEqual([200, made.text])
  expect(repeat.headers['idempotency-replayed']).toBe('true')
})
