/** POST /bulk/{job_id}/joined.csv: the file of the form with the results of the job beside its own columns. */
import { raw, type Page } from '@cupel/console'
import { apiPathOf } from './job.js'
import { joinFile } from './read-bulk-form.js'
import { jobPage } from './show-job.js'

/** Results of a thousand addresses as CSV have a megabyte or two. */
const MAX_TABLE_BYTES = 16 * 1_048_576

export const downloadJoined: Page = {
  method: 'POST',
  path: '/bulk/{job_id}/joined.csv',
  access: 'session',
  takesFile: true,
  async handle(call) {
    const jobId = call.path['job_id'] ?? ''
    const reply = await call.api.open(apiPathOf(jobId, '/results?include=pending'), {
      ...{ signal: call.signal, headers: { accept: 'text/csv' } },
    })
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of reply.body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_TABLE_BYTES) throw new Error('The results are too large')
      chunks.push(chunk)
    }
    const joined = await joinFile(call, Buffer.concat(chunks).toString('utf8'))
    if (!joined.ok) return await jobPage(call, { status: 400, fault: joined.fault, done: null })
    return raw(joined.table, {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="cupel-${jobId}-joined.csv"`,
    })
  },
}
