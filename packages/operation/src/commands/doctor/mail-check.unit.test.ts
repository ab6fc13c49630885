import { createServer, type AddressInfo } from 'node:net'
import type { Database } from '@cupel/postgres'
import type { Config } from '@cupel/kit/service'
import { expect, test } from 'vitest'
import { mailCheck } from './mail-check.js'

const look = (state: Record<string, number>, config: Partial<Config> = {}) =>
  mailCheck({
    config: { CUPEL_MAIL_PORT: 587, CUPEL_MAIL_INSECURE: false, ...config } as Config,
    database: {
      query: () => Promise.resolve([{ recipients: 0, unconfirmed: 0, givenUp: 0, failing: 0, ...state }]),
    } as unknown as Database,
  }).look()

test('without a mail server it is well only if nobody is to get e-mail', async () => {
  expect(await look({})).toMatchObject([{ state: 'ok' }])
  expect(await look({ recipients: 2 })).toMatchObject([
    { state: 'fault', detail: '2 recipients wait for e-mail, and no mail server is set.' },
  ])
})

test('a mail server that cannot be reached, or offers no TLS, is a fault', async () => {
  const plain = createServer((socket) => {
    socket.write('220 plain.example ESMTP\r\n')
    socket.on('data', () => socket.write('250 plain.example\r\n'))
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
  const { port } = plain.address() as AddressInfo
  const at = { CUPEL_MAIL_HOST: '127.0.0.1', CUPEL_MAIL_PORT: port }
  expect(await look({}, at)).toMatchObject([
    { state: 'fault', detail: 'The mail server 127.0.0.1 cannot be used: tls failed.' },
  ])
  await new Promise((resolve) => plain.close(resolve))
  expect(await look({}, at)).toMatchObject([
    { state: 'fault', detail: 'The mail server 127.0.0.1 cannot be used: connect failed.' },
  ])
})

test('what was refused, what waits, and sending without TLS are told', async () => {
  const at = { CUPEL_MAIL_HOST: '127.0.0.1', CUPEL_MAIL_PORT: 1, CUPEL_MAIL_INSECURE: true }
  const found = await look({ recipients: 3, givenUp: 2, failing: 1 }, at)
  expect(found.map(({ state }) => state)).toEqual(['fault', 'warning', 'warning', 'warning'])
  expect(found.map(({ detail }) => detail).slice(1)).toEqual([
    'E-mail may be sent without verified TLS.',
    '2 messages of the last day were refused or given up.',
    '1 messages wait after a failed attempt.',
  ])
})
