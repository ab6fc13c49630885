/** The messages that an attacker can make the platform send, and their receivers. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { submitJob } from '../bulk-client.js'
import { createClient, type Client } from '../client.js'
import { until } from '../until.js'
import type { Attack, Outcome } from './attack.js'
import { HOST_LIMITS, RECEIVER_ADDRESS, type Target } from './target.js'

const ARRIVAL_MS = 120_000
const HOOKS = '/v1/webhook-endpoints'
const ENDPOINTS = 10
const TESTS_PER_ENDPOINT = 6

interface Victim {
  readonly url: string
  /** Types of the received messages. */
  readonly received: string[]
}

export const webhooks: readonly Attack[] = [
  {
    name: 'results sent to a receiver that never agreed to them',
    threat: 'exposure',
    place: 'store',
    run: (target) =>
      withReceiver(target, 500, async (client, { url, received }) => {
        const id = await newEndpoint(client, url)
        const { job_id: jobId } = await submitJob(client, ['nonsense'], `unproven-${Date.now()}`)
        await until('a held webhook', ARRIVAL_MS, async () => {
          const held = await itemsOf(client, `${HOOKS}/${id}/deliveries?status=held`)
          return held.some((one) => one['job_id'] === jobId)
        })
        await until('a test message', ARRIVAL_MS, async () => received.length > 0)
        const others = received.filter((type) => type !== 'endpoint.test').length
        return {
          limit: 'only test messages',
          measured: `${received.length} messages, ${others} of them about jobs`,
          held: others === 0,
        }
      }),
  },
  {
    name: `${ENDPOINTS} endpoints that flood one host`,
    threat: 'cost',
    place: 'store',
    run: (target) =>
      withReceiver(target, 204, async (client, { url, received }) => {
        const sinceMs = performance.now()
        const ids: string[] = []
        for (let n = 0; n < ENDPOINTS; n += 1) ids.push(await newEndpoint(client, `${url}/${n}`))
        for (const id of ids)
          for (let n = 0; n < TESTS_PER_ENDPOINT; n += 1) await client.send('POST', `${HOOKS}/${id}/test`)
        const { burst, perSecond } = HOST_LIMITS
        await until('more than a burst', ARRIVAL_MS, async () => received.length > burst)
        const seconds = (performance.now() - sinceMs) / 1_000
        const limit = burst + perSecond * seconds
        return {
          limit: `${burst} and ${perSecond} a second`,
          measured: `${received.length} of ${ENDPOINTS * (TESTS_PER_ENDPOINT + 1)} in ${seconds.toFixed(1)} s`,
          held: received.length <= limit,
        }
      }),
  },
]

/** A receiver that answers everything with this status, and a client of the attacker, whose endpoints are deleted at the end. */
async function withReceiver(
  { baseUrl, attacker }: Target,
  status: number,
  attack: (client: Client, receiver: Victim) => Promise<Outcome>,
): Promise<Outcome> {
  const received: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push((JSON.parse(Buffer.concat(chunks).toString()) as { type: string }).type)
      response.writeHead(status).end()
    })
  })
  const client = createClient([baseUrl], attacker.key)
  try {
    return await attack(client, { url: await listening(server), received })
  } finally {
    for (const endpoint of await itemsOf(client, HOOKS))
      await client.send('DELETE', `${HOOKS}/${String(endpoint['endpoint_id'])}`)
    await client.close()
    server.closeAllConnections()
    server.close()
  }
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, RECEIVER_ADDRESS, resolve))
  return `http://${RECEIVER_ADDRESS}:${(server.address() as AddressInfo).port}`
}

async function newEndpoint(client: Client, url: string): Promise<string> {
  const made = await client.send('POST', HOOKS, JSON.stringify({ url, payload: 'thin' }))
  if (made.status !== 201) throw new Error(`An endpoint is answered ${made.status}: ${made.text}`)
  return (JSON.parse(made.text) as { endpoint_id: string }).endpoint_id
}

async function itemsOf(client: Client, path: string): Promise<Record<string, unknown>[]> {
  return (JSON.parse((await client.send('GET', path)).text) as { items: Record<string, unknown>[] }).items
}
