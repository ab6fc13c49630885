/** The token of a link that a recipient of e-mail would get, of a new recipient. */
import { loadInstallationSecrets } from '@cupel/gate/access'
import type { Queryable } from '@cupel/postgres'
import { createMailLinks, findEndpoint, type MailPurpose } from '@cupel/webhooks'
import { MAX_USES_PER_MINUTE } from '@cupel/webhooks/routes'
import { call, type Reply } from './http-client.js'

let made = 0

interface Place {
  readonly database: Queryable
  readonly url: string
  readonly key: string
}

export async function newEmailLink(
  { database, url, key }: Place,
  purpose: MailPurpose = 'unsubscribe',
  caller: typeof call = call,
): Promise<{ readonly token: string; readonly endpointId: string }> {
  const body = { url: `mailto:recipient-${(made += 1)}@example.org` }
  const reply = await caller(url, 'POST', '/v1/webhook-endpoints', { key, body })
  const endpointId = String(reply.json()['endpoint_id'])
  const { webhookSecretsKey } = await loadInstallationSecrets(database)
  const endpoint = (await findEndpoint(database, endpointId))!
  return { token: createMailLinks(webhookSecretsKey).tokenOf(purpose, endpoint, Date.now()), endpointId }
}

/** The answer to a use of a new link after all that it has in a minute. */
export async function useTooOften(place: Place, method: string, caller: typeof call = call): Promise<Reply> {
  const path = `/v1/email/${(await newEmailLink(place, 'confirm', caller)).token}`
  for (let use = 0; use < MAX_USES_PER_MINUTE; use += 1) await caller(place.url, method, path)
  return await caller(place.url, method, path)
}
