/** GET /reports/{report_id}/case-proof: the proof of the case as the API answers it, for `cupel verify` with the PDF. */
import { raw, type Page } from '@cupel/console'

export const downloadCaseProof: Page = {
  method: 'GET',
  path: '/reports/{report_id}/case-proof',
  access: 'session',
  async handle({ api, path, signal }) {
    const id = encodeURIComponent(path['report_id'] ?? '')
    const { body, status } = await api.open(`/v1/reports/${id}/case/proof`, { signal })
    const name = `attachment; filename="case-${id}.tlog-proof"`
    return raw(body, { 'content-type': 'text/plain; charset=utf-8', 'content-disposition': name }, status)
  },
}
