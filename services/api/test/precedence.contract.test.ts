/** The frame serves screens before other calls: while a screen is open, every step of another call waits. Steps of screens never wait. */
import type { AddressInfo } from 'node:net'
import type { Caller, RateLimit } from '@cupel/gate/access'
import { expect, onTestFinished, test } from 'vitest'
import { buildApp } from '../src/app.js'
import { jsonAnswer, keyedEndpoint, takesTurns, createTraffic } from '@cupel/gate/http'
import { describedEndpoints } from '../src/openapi-document.js'
import { appParts } from './app-parts.js'

const caller: Caller = {
  ...{ accountId: 'a', keyId: 'k', environment: 'live', livemode: true },
  ...{ scope: 'read-only', plan: 'pro', webhookAdmin: false, session: null },
}
const rateLimit: RateLimit = { plan: 'pro', quota: 10, windowSeconds: 1, remaining: 9, nextTokenSeconds: 0 }

function endpoint(path: '/v1/first' | '/v1/other', done: (step: string) => void) {
  return keyedEndpoint({
    ...{ operationId: path, method: 'GET', path, tag: 'Reports', summary: path, description: path },
    ...{ access: 'read-only', answers: [], problems: [] },
    ...(path === '/v1/first' ? { goesFirst: true as const } : {}),
    handle() {
      done('handled')
      return Promise.resolve(jsonAnswer(200, '{}'))
    },
  })
}

/** Returns the steps of one call, with `wait` for each quiet moment that the call requested. */
async function stepsOf(path: '/v1/first' | '/v1/other'): Promise<string[]> {
  const steps: string[] = []
  const done = (step: string): void => void steps.push(step)
  const app = buildApp(
    appParts({
      endpoints: [endpoint('/v1/first', done), endpoint('/v1/other', done)],
      admit() {
        done('admitted')
        return Promise.resolve({ admitted: true, caller, rateLimit, reservation: null })
      },
      audit: {
        record() {
          done('recorded')
          return Promise.resolve(true)
        },
      },
      traffic: {
        ...createTraffic(),
        quietMoment: () => Promise.resolve(done('wait')),
        openScreen() {
          done('open')
          return () => done('ended')
        },
      },
    }),
  )
  await app.fastify.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const { port } = app.fastify.server.address() as AddressInfo
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { authorization: 'Bearer any', connection: 'close' },
  })
  expect(status).toBe(200)
  return steps
}

test('a call that is not a screen waits for a quiet moment before it is admitted, handled and recorded', async () => {
  expect(await stepsOf('/v1/other')).toEqual(['wait', 'admitted', 'wait', 'handled', 'wait', 'recorded'])
})

test('a call that goes first waits for none, and is open while it is handled', async () => {
  expect(await stepsOf('/v1/first')).toEqual(['admitted', 'open', 'handled', 'ended', 'recorded'])
})

test('of all that takes a key, only screens of addresses and transfers go first', () => {
  const first = describedEndpoints().filter((each) => each.access !== 'open' && !takesTurns(each))
  expect(first.map(({ path }) => path)).toEqual(['/v1/screen', '/v1/transfers'])
})
