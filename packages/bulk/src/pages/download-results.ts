/** GET /bulk/{job_id}/results.csv, results.xlsx, results.json and summary.pdf: files of the API, passed on under a name of their own. */
import { raw, type Page, type PageCall, type RawAnswer } from '@cupel/console'
import { apiPathOf, isRunning, type Job } from './job.js'

const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export const downloadCsv: Page = {
  method: 'GET',
  path: '/bulk/{job_id}/results.csv',
  access: 'session',
  handle: (call) => download(call, { part: '/results?sort=risk', accept: 'text/csv', extension: 'csv' }),
}

export const downloadWorkbook: Page = {
  method: 'GET',
  path: '/bulk/{job_id}/results.xlsx',
  access: 'session',
  handle: (call) => download(call, { part: '/results?sort=risk', accept: WORKBOOK_TYPE, extension: 'xlsx' }),
}

/** The job with its results; while it runs, its results as lines. */
export const downloadJson: Page = {
  method: 'GET',
  path: '/bulk/{job_id}/results.json',
  access: 'session',
  async handle(call) {
    const job = await call.api.get<Job>(apiPathOf(call.path['job_id']), { results: 'none' })
    return isRunning(job)
      ? download(call, { part: '/results', accept: 'application/x-ndjson', extension: 'ndjson' })
      : download(call, { part: '', accept: 'application/json', extension: 'json' })
  },
}

export const downloadPdf: Page = {
  method: 'GET',
  path: '/bulk/{job_id}/summary.pdf',
  access: 'session',
  handle: (call) => download(call, { part: '/pdf', accept: 'application/pdf', extension: 'pdf' }),
}

async function download(
  { api, path, signal }: PageCall,
  { part, accept, extension }: Readonly<Record<'part' | 'accept' | 'extension', string>>,
): Promise<RawAnswer> {
  const jobId = path['job_id'] ?? ''
  const reply = await api.open(apiPathOf(jobId, part), { signal, headers: { accept } })
  return raw(
    reply.body,
    {
      'content-type': reply.headers['content-type'] ?? accept,
      // The API has answered for this id, so it is a valid id.
      'content-disposition': `attachment; filename="cupel-${jobId}.${extension}"`,
    },
    reply.status,
  )
}
