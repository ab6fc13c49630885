/** GET /cases/{report_id}/dossier.pdf and …/files/{version}: documents of a case, passed on to be saved. */
import { raw, type Page, type PageCall, type RawAnswer } from '@cupel/console'

export const downloadDossier: Page = {
  method: 'GET',
  path: '/cases/{report_id}/dossier.pdf',
  access: 'session',
  handle: (call) => passedOn(call, 'dossier'),
}

export const downloadFile: Page = {
  method: 'GET',
  path: '/cases/{report_id}/files/{version}',
  access: 'session',
  handle: (call) => passedOn(call, `files/${encodeURIComponent(call.path['version'] ?? '')}`),
}

/** The type is that of the API, which never names one that a browser shows for a file of a person. */
const PASSED_ON = ['content-type', 'content-length', 'content-disposition', 'etag'] as const

async function passedOn({ api, path, headers, signal }: PageCall, part: string): Promise<RawAnswer> {
  const id = encodeURIComponent(path['report_id'] ?? '')
  const known = headers['if-none-match']
  const reply = await api.open(`/v1/reports/${id}/case/${part}`, {
    signal,
    headers: known === undefined ? {} : { 'if-none-match': known },
  })
  const passed = PASSED_ON.flatMap((name) =>
    reply.headers[name] === undefined ? [] : [[name, reply.headers[name]] as const],
  )
  return raw(reply.body, Object.fromEntries(passed), reply.status)
}
