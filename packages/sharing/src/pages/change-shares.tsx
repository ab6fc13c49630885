/** POST /reports/{report_id}/share-links, which leads to the page that shows the link once, and …/{share_id}/revoke. */
import { fieldOf, redirect, type Page } from '@cupel/console'
import { showLink, type NewShare } from './show-link.js'

export const makeShare: Page = {
  method: 'POST',
  path: '/reports/{report_id}/share-links',
  access: 'session',
  async handle(call) {
    const { api, path, form } = call
    const id = encodeURIComponent(path['report_id'] ?? '')
    const order = {
      expires_in_hours: Number(fieldOf(form, 'hours')),
      label: fieldOf(form, 'label').trim(),
    }
    return await showLink(call, id, await api.send<NewShare>('POST', `/v1/reports/${id}/share-links`, order))
  },
}

export const revokeShare: Page = {
  method: 'POST',
  path: '/reports/{report_id}/share-links/{share_id}/revoke',
  access: 'session',
  async handle({ api, path }) {
    const [id, share] = [path['report_id'], path['share_id']].map((part) => encodeURIComponent(part ?? ''))
    await api.send('DELETE', `/v1/reports/${id}/share-links/${share}`)
    return redirect(`/reports/${id}#shares`)
  },
}
