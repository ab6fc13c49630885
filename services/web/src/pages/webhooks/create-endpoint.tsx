/** POST /webhooks: makes an endpoint, and shows its secret on the page that answers. */
import { ApiProblem } from '../../api/api-problem.js'
import { fieldOf, page, type Page } from '../../server/page.js'
import { API_LIST, type WebhookEndpoint } from './endpoint.js'
import { endpointsPage } from './list-endpoints.js'
import { SecretShown } from './secret-shown.js'

export const createEndpoint: Page = {
  method: 'POST',
  path: '/webhooks',
  access: 'session',
  async handle(call) {
    const given = { url: fieldOf(call.form, 'url').trim(), payload: fieldOf(call.form, 'payload') }
    try {
      const made = await call.api.send<WebhookEndpoint & { readonly secret: string }>('POST', API_LIST, given)
      const title = 'The endpoint was created'
      const endpoint = { id: made.endpoint_id, url: made.url }
      return page(title, <SecretShown {...{ title, endpoint }} secret={made.secret} />, {
        section: '/webhooks',
      })
    } catch (error) {
      if (!(error instanceof ApiProblem) || ![400, 403, 409].includes(error.status)) throw error
      const fault = error.errors[0]?.detail ?? error.detail
      return endpointsPage(call, { ...given, fault, status: error.status })
    }
  },
}
