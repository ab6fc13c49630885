/** Webhook endpoints for tests of other rules. */
import { exampleOf } from './described.js'
import type { CallOptions, Reply } from './http-client.js'

export const HOOKS = '/v1/webhook-endpoints'

/** A webhook endpoint with a delivery. */
export interface Hook {
  readonly endpointId: string
  readonly deliveryId: string
}

export async function makeHook(
  url: string,
  key: string,
  call: (url: string, method: string, path: string, options?: CallOptions) => Promise<Reply>,
): Promise<Hook> {
  const made = await call(url, 'POST', HOOKS, { key, body: exampleOf('POST', HOOKS) })
  const endpointId = String(made.json()['endpoint_id'])
  const ping = await call(url, 'POST', `${HOOKS}/${endpointId}/test`, { key })
  return { endpointId, deliveryId: String(ping.json()['delivery_id']) }
}
