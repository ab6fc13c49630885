/** The documents that the tests of this package render, by name. */
import { sampleJobs, sampleReports } from '@cupel/testkit'
import { renderBulk, renderReport } from '../src/render-report.js'

export const samples: Readonly<Record<string, () => Promise<Uint8Array>>> = Object.fromEntries([
  ...Object.entries(sampleReports()).map(([name, report]) => [
    name,
    () => renderReport(JSON.stringify(report)),
  ]),
  ...Object.entries(sampleJobs()).map(([name, job]) => [
    `bulk-${name}`,
    () => renderBulk(JSON.stringify(job)),
  ]),
])
