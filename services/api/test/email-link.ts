/** The token of a link that a recipient of e-mail would get, of a new recipient. */
import { loadInstallationSecrets } from '@cupel/gate/access'
import type { Queryable } from '@cupel/postgres'
import { createMailLinks, findEndpoint, type MailPurpose } from '@cupel/webhooks'
import { call } from './http-client.js'

let made = 0

export async function newEmailLink(
  { database, url, key }: { readonly database: Queryable; readonly url: string; readonly key: string },
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
