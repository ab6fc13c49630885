/** A mail server that does not keep to the protocol, or is slow: nothing that it did not take counts as sent. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { until } from '@cupel/testkit'
import { afterEach, expect, test } from 'vitest'
import { createMailClient, type MailClient } from './mail-client.js'

const MAIL = {
  ...{ messageId: '<msg_1@cupel.example>', from: 'cupel@cupel.example', to: 'analyst@example.org' },
  ...{ subject: 'a', text: 'b', html: '<p>b</p>', headers: {} },
}
let server: Server | undefined
const sockets = new Set<Socket>()
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server?.close(resolve))
})

/** `answers`: the reply to a command by its first word; `CONN` is the greeting. A command without one is taken. */
async function clientOf(answers: Readonly<Record<string, string>>, timeoutMs?: number): Promise<MailClient> {
  const taken = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    const answer = (command: string): void => {
      socket.write(`${answers[command] ?? '250 taken'}\r\n`)
    }
    socket.on('data', (data) => answer(data.toString().split(/[ \r]/, 1)[0]!.toUpperCase()))
    answer('CONN')
  })
  server = taken
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const at = { host: '127.0.0.1', port, signIn: null, isInsecure: true }
  return createMailClient(at, timeoutMs === undefined ? {} : { timeoutMs })
}

test.each(['250 welcome', '200 welcome', '354 welcome', 'HTTP/1.1 200 OK'])(
  'a server that greets with %j took no message',
  async (greeting) => {
    const client = await clientOf({ CONN: greeting })
    expect(await client.send(MAIL, { owner: 'a' })).toMatchObject({ kind: 'failed', error: 'bad_reply' })
    expect(await client.fault()).toBe('bad_reply')
  },
)

test('a refusal stays final, whatever words it has', async () => {
  const client = await clientOf({ CONN: '220 hello', RCPT: '550 no user at tls.example, no certificate' })
  expect(await client.send(MAIL, { owner: 'a' })).toMatchObject({
    kind: 'answered',
    code: 550,
    isFinal: true,
  })
})

test('a message that is not awaited any more has no connection either', async () => {
  const client = await clientOf({ CONN: '220 hello', EHLO: '250-one of many' }, 500)
  const dripping = setInterval(() => {
    for (const socket of sockets) socket.write('250-and one more\r\n')
  }, 20)
  try {
    expect(await client.send(MAIL, { owner: 'a' })).toMatchObject({ kind: 'failed', error: 'timeout' })
    await until(() => expect(sockets.size).toBe(0))
  } finally {
    clearInterval(dripping)
  }
})
