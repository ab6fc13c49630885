import { silentLogger } from '@cupel/contracts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDestinationGate, MAX_PER_DESTINATION } from './destination-gate.js'

const free = (messages: readonly unknown[]) => Promise.resolve(messages.map(() => 0))
const place = (host: number, address: number, port = 443) => ({
  ...{ hostname: `host-${host}.example`, port, address: `203.0.113.${address}` },
})

test('no place has more attempts at once than it may have, and every other place has room', async () => {
  const step = fc.record({ host: fc.nat(2), address: fc.nat(2), ends: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 300, maxLength: 800 }), async (steps) => {
      const admit = createDestinationGate({ take: free, logger: silentLogger })
      const running: { host: number; address: number; release: () => void }[] = []
      for (const { host, address, ends } of steps) {
        if (ends && running.length > 0 && running.length % 3 === 0) running.shift()!.release()
        const of = (is: (one: { host: number; address: number }) => boolean) => running.filter(is).length
        const isFull =
          of((one) => one.host === host) >= MAX_PER_DESTINATION ||
          of((one) => one.address === address) >= MAX_PER_DESTINATION
        const verdict = await admit(place(host, address))
        expect(verdict.ok).toBe(!isFull)
        if (verdict.ok) running.push({ host, address, release: verdict.release })
        else expect(verdict.waitMs).toBeGreaterThan(0)
      }
    }),
    { numRuns: 20 },
  )
})

test('a message that gets no token waits as long as it is told, and holds no place', async () => {
  const asked: (readonly string[])[] = []
  let waitMs = 700
  const take = (messages: readonly (readonly string[])[]) => {
    asked.push(...messages)
    return Promise.resolve(messages.map(() => waitMs))
  }
  const admit = createDestinationGate({ take, logger: silentLogger })
  for (let message = 0; message < 2 * MAX_PER_DESTINATION; message += 1)
    expect(await admit(place(1, 1, 8_443))).toEqual({ ok: false, waitMs: 700 })
  expect(asked[0]).toEqual(['host host-1.example:8443', 'address 203.0.113.1'])
  waitMs = 0
  expect(await admit(place(1, 1))).toMatchObject({ ok: true })
})

test('while nobody can be asked for tokens nothing is sent', async () => {
  const admit = createDestinationGate({
    take: () => Promise.reject(new Error('the database is away')),
    logger: silentLogger,
  })
  for (let message = 0; message < 2 * MAX_PER_DESTINATION; message += 1)
    expect(await admit(place(1, 1))).toMatchObject({ ok: false, waitMs: 1_000 })
})
