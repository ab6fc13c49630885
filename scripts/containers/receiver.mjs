// A receiver of webhooks on this machine that containers can reach. It verifies each message with the library of Standard Webhooks.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from '../setup.mjs'

const { Webhook } = createRequire(join(root, 'packages', 'system-tests', 'package.json'))('standardwebhooks')

/**
 * `secret` is set when the endpoint is created. Until then the receiver refuses messages; they are sent again. `offences` lists messages
 * without a valid signature.
 * @param {string} host Address of this machine as containers see it.
 */
export async function startReceiver(host) {
  /** @type {{ secret: string | null, messages: any[], offences: string[], url: string, close: () => Promise<void> }} */
  const receiver = { secret: null, messages: [], offences: [], url: '', close: async () => undefined }
  const server = createServer((request, response) => {
    const chunks = []
    request.on('error', () => undefined)
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      if (receiver.secret === null) return response.writeHead(503).end()
      try {
        new Webhook(receiver.secret).verify(body, request.headers)
        receiver.messages.push(JSON.parse(body))
      } catch (error) {
        receiver.offences.push(`${request.headers['webhook-id']}: ${error}`)
      }
      response.writeHead(204).end()
    })
  })
  await new Promise((resolve) => server.listen(0, '0.0.0.0', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  receiver.url = `http://${host}:${port}/ends`
  receiver.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return receiver
}
