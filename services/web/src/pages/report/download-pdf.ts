/** GET /reports/{report_id}/pdf: the PDF of the API, passed on. */
import { raw, type Page } from '../../server/page.js'

const PASSED_ON = ['content-type', 'content-length', 'content-disposition', 'etag'] as const

export const downloadPdf: Page = {
  method: 'GET',
  path: '/reports/{report_id}/pdf',
  access: 'session',
  async handle({ api, path, headers, signal }) {
    const known = headers['if-none-match']
    const reply = await api.open(`/v1/reports/${encodeURIComponent(path['report_id'] ?? '')}/pdf`, {
      signal,
      headers: known === undefined ? {} : { 'if-none-match': known },
    })
    const passed = PASSED_ON.flatMap((name) =>
      reply.headers[name] === undefined ? [] : [[name, reply.headers[name]] as const],
    )
    return raw(reply.body, Object.fromEntries(passed), reply.status)
  },
}
