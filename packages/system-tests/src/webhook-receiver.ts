/** A webhook receiver as a customer runs it: it verifies each message with the official library and records it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { Client } from './client.js'

export interface ReceivedWebhook {
  readonly id: string
  readonly body: string
  readonly accepted: boolean
}

export interface WebhookReceiver {
  readonly url: string
  readonly received: readonly ReceivedWebhook[]
  /** Messages with a bad signature, and repeats with another body. */
  readonly offences: readonly string[]
  /** Secrets by path. A test message to another path is refused; any other message to it is an offence. */
  readonly secrets: Map<string, string>
  /** Accepted messages by id, with their parsed body. */
  accepted(): Map<string, { readonly type: string; readonly data: Record<string, unknown> }>
  close(): Promise<void>
}

/** The answer to a message. */
export type Reaction = 'accept' | 'fail' | 'reset'

export async function startWebhookReceiver(
  react: (id: string) => Reaction = () => 'accept',
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  const offences: string[] = []
  const secrets = new Map<string, string>()
  const bodies = new Map<string, string>()

  const take = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const id = String(request.headers['webhook-id'])
    // The test message of a new endpoint may arrive before its secret is known here.
    if (!secrets.has(request.url ?? '') && body.includes('"type":"endpoint.test"')) {
      response.writeHead(401).end()
      return
    }
    try {
      new Webhook(secrets.get(request.url ?? '') ?? '').verify(
        body,
        request.headers as Record<string, string>,
      )
    } catch (error) {
      offences.push(`${id} to ${request.url}: ${String(error)}`)
    }
    if ((bodies.get(id) ?? body) !== body) offences.push(`${id} came with two bodies`)
    bodies.set(id, body)
    const reaction = react(id)
    received.push({ id, body, accepted: reaction === 'accept' })
    if (reaction === 'reset') request.socket.destroy()
    else response.writeHead(reaction === 'accept' ? 204 : 500).end()
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => undefined)
    request.on('end', () => take(request, response, Buffer.concat(chunks).toString()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    offences,
    secrets,
    accepted: () =>
      new Map(
        received.flatMap(({ id, body, accepted }) =>
          accepted
            ? [[id, JSON.parse(body) as { type: string; data: Record<string, unknown> }] as const]
            : [],
        ),
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Registers an endpoint of this receiver and returns its id; messages to the path are verified with its secret. */
export async function createEndpoint(
  client: Client,
  receiver: WebhookReceiver,
  path: string,
  payload: string,
): Promise<string> {
  const body = JSON.stringify({ url: receiver.url + path, payload })
  const made = await client.send('POST', '/v1/webhook-endpoints', body)
  if (made.status !== 201) throw new Error(`an endpoint is answered ${made.status}: ${made.text}`)
  const { endpoint_id: id, secret } = JSON.parse(made.text) as { endpoint_id: string; secret: string }
  receiver.secrets.set(path, secret)
  return id
}

/** Data of the accepted webhooks by job, without endpoint tests. */
export function endsOf(receiver: WebhookReceiver): Map<string, Record<string, unknown>[]> {
  const ends = new Map<string, Record<string, unknown>[]>()
  for (const { type, data } of receiver.accepted().values()) {
    if (type === 'endpoint.test') continue
    const jobId = String(data['job_id'])
    ends.set(jobId, [...(ends.get(jobId) ?? []), data])
  }
  return ends
}
