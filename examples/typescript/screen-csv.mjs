// Screens the first column of a CSV file, in jobs of 1,000 addresses, and writes one line of JSON for each address. Started again
// after a stop, whatever stopped it, it goes on where it was: nothing is screened or written twice.
//
//   node screen-csv.mjs addresses.csv results.ndjson
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { Cupel } from '@cupel/sdk'

const BATCH = 1_000
const [input, output] = process.argv.slice(2)
if (output === undefined) {
  console.error('usage: node screen-csv.mjs addresses.csv results.ndjson')
  process.exit(2)
}

const text = readFileSync(input, 'utf8')
const file = createHash('sha256').update(text).digest('hex')
const addresses = text
  .split(/\r?\n/)
  .map((line) =>
    line
      .split(',')[0]
      .trim()
      .replace(/^"(.*)"$/, '$1'),
  )
  .filter((address) => address !== '' && address !== 'address')

// Written after the results of each batch: how far they go. What stands behind that in the output is half a batch.
const progressFile = `${output}.progress`
const begin = { file, batches: 0, bytes: 0 }
let progress = existsSync(progressFile) ? JSON.parse(readFileSync(progressFile, 'utf8')) : begin
if (progress.file !== file)
  throw new Error(`${progressFile} belongs to another input. Delete it to begin anew.`)
if (existsSync(output)) truncateSync(output, progress.bytes)

const cupel = new Cupel()
while (progress.batches * BATCH < addresses.length) {
  const from = progress.batches * BATCH
  const batch = addresses.slice(from, from + BATCH)
  // The key names the batch: a second submission within a day gets the job of the first.
  const submitted = await cupel.bulk.submit(batch, {
    idempotencyKey: `${file.slice(0, 32)}-${progress.batches}`,
  })
  const job = await cupel.bulk.wait(submitted)
  const results = job.results ?? (await cupel.bulk.results(job.job_id, { pageSize: 200 }).toArray())
  const lines = results.map(({ address, report, error, status }) => {
    const found = report && {
      level: report.risk.level,
      score: report.risk.score,
      report_id: report.report_id,
    }
    return `${JSON.stringify({ address, status, ...found, error: error?.code })}\n`
  })
  const written = lines.join('')
  appendFileSync(output, written)
  progress = { file, batches: progress.batches + 1, bytes: progress.bytes + Buffer.byteLength(written) }
  writeFileSync(progressFile, JSON.stringify(progress))
  console.log(`${Math.min(from + BATCH, addresses.length)} of ${addresses.length}`)
}
