// Prints the digest of each sample's PDF, one line each: the test compares processes.
import { createHash } from 'node:crypto'
import { sampleReports } from '@cupel/testkit'
import { renderReport } from '../src/render-report.js'

for (const [name, report] of Object.entries(sampleReports())) {
  const pdf = await renderReport(JSON.stringify(report))
  process.stdout.write(`${name} ${createHash('sha256').update(pdf).digest('hex')}\n`)
}
