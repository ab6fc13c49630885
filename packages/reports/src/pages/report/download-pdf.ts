/** GET /reports/{report_id}/pdf: the PDF of the API, passed on. */
import { raw, type Page } from '@cupel/console'

const PASSED_ON = ['content-type', 'content-length', 'content-disposition', 'etag'] as const

export const downloadPdf: Page = {
  method: 'GET',
  path: '/reports/{report_id}/pdf',
  access: 'session',
  async handle({ api, path, query, headers, signal }) {
    const known = headers['if-none-match']
    const appendix = query.get('appendix') === 'case' ? '?appendix=case' : ''
    const id = encodeURIComponent(path['report_id'] ?? '')
    const reply = await api.open(`/v1/reports/${id}/pdf${appendix}`, {
      signal,
      headers: known === undefined ? {} : { 'if-none-match': known },
    })
    const passed = PASSED_ON.flatMap((name) =>
      reply.headers[name] === undefined ? [] : [[name, reply.headers[name]] as const],
    )
    return raw(reply.body, Object.fromEntries(passed), reply.status)
  },
}
