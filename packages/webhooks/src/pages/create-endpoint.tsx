/** POST /webhooks: makes an endpoint, and leads to the page that shows its secret once. */
import { ApiProblem, redirect, type Page } from '@cupel/console'
import { API_LIST, type WebhookEndpoint } from './endpoint.js'
import { bodyOf, settingsOf } from './endpoint-fields.js'
import { endpointsPage } from './list-endpoints.js'
import { showSecret } from './show-secret.js'

export const createEndpoint: Page = {
  method: 'POST',
  path: '/webhooks',
  access: 'session',
  async handle(call) {
    const given = settingsOf(call.form)
    try {
      const made = await call.api.send<WebhookEndpoint & { readonly secret: string | null }>(
        'POST',
        API_LIST,
        bodyOf(given),
      )
      if (made.secret === null)
        return redirect(`/webhooks/${encodeURIComponent(made.endpoint_id)}?done=asked`)
      return await showSecret(call, made.endpoint_id, { secret: made.secret, isNew: true })
    } catch (error) {
      if (!(error instanceof ApiProblem) || ![400, 403, 409].includes(error.status)) throw error
      const fault = error.errors[0]?.detail ?? error.detail
      return endpointsPage(call, { ...given, fault, status: error.status })
    }
  },
}
