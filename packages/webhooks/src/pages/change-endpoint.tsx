/** POST /webhooks/{endpoint_id}/…: the changes of an endpoint. */
import { ApiProblem, fieldOf, redirect, type Page, type PageAnswer, type PageCall } from '@cupel/console'
import { apiPathOf, type WebhookEndpoint } from './endpoint.js'
import { bodyOf, settingsOf } from './endpoint-fields.js'
import { endpointPage } from './show-endpoint.js'
import { showSecret } from './show-secret.js'

/** Handles a form on the page of an endpoint; that page shows the refusals of the API. */
function change(action: string, handle: (call: PageCall, endpointId: string) => Promise<PageAnswer>): Page {
  return {
    method: 'POST',
    path: `/webhooks/{endpoint_id}/${action}`,
    access: 'session',
    async handle(call) {
      try {
        return await handle(call, call.path['endpoint_id'] ?? '')
      } catch (error) {
        if (!(error instanceof ApiProblem) || ![400, 403, 409].includes(error.status)) throw error
        const fault = error.errors[0]?.detail ?? error.detail
        return await endpointPage(call, { fault, status: error.status })
      }
    },
  }
}

const back = (endpointId: string, query: string): PageAnswer =>
  redirect(`/webhooks/${encodeURIComponent(endpointId)}?${query}`)

export const changeEndpoint = change('change', async ({ api, form }, id) => {
  const wanted = fieldOf(form, 'status').trim()
  const changes = { ...bodyOf(settingsOf(form)), ...(wanted === '' ? {} : { status: wanted }) }
  const { status } = await api.send<WebhookEndpoint>('PATCH', apiPathOf(id), changes)
  return back(id, `done=${wanted === '' ? 'changed' : encodeURIComponent(status)}`)
})

export const rotateSecret = change('rotate-secret', async (call, id) => {
  const { secret } = await call.api.send<{ readonly secret: string }>('POST', apiPathOf(id, '/rotate-secret'))
  return await showSecret(call, id, { secret, isNew: false })
})

export const sendTest = change('test', async ({ api }, id) => {
  await api.send('POST', apiPathOf(id, '/test'))
  return back(id, 'done=tested')
})

export const deleteEndpoint = change('delete', async ({ api }, id) => {
  await api.send('DELETE', apiPathOf(id))
  return redirect('/webhooks?deleted')
})

const HOUR_MS = 3_600_000
/** Deliveries are kept for 30 days. */
const MAX_HOURS = 720

export const redeliverRange = change('redeliver', async ({ api, form }, id) => {
  const hours = Math.min(MAX_HOURS, Math.max(1, Number(fieldOf(form, 'hours')) || 1))
  const since = new Date(Date.now() - hours * HOUR_MS).toISOString()
  const { count } = await api.send<{ readonly count: number }>('POST', apiPathOf(id, '/redeliver'), { since })
  return back(id, `count=${count}`)
})

export const redeliver = change('deliveries/{delivery_id}/redeliver', async ({ api, path }, id) => {
  const deliveryId = encodeURIComponent(path['delivery_id'] ?? '')
  await api.send('POST', apiPathOf(id, `/deliveries/${deliveryId}/redeliver`))
  return back(id, 'done=redelivered')
})
