// Prints the data of the golden ReportGenerated as the present code decides it. After a change of an unreleased scorer:
//   npx tsx --conditions=cupel-source packages/domain/scripts/golden-report.mts > report.json
//   node packages/event-log/scripts/golden-sample.mjs ReportGenerated report.json --replace
import { readFileSync } from 'node:fs'
import type { LabelStateRecorded, PolicyActivated, ReportGenerated } from '@cupel/contracts'
import { recompute } from '../src/index.js'

const golden = <T,>(event: string): T =>
  JSON.parse(readFileSync(new URL(`../../../schemas/golden/${event}/1.json`, import.meta.url), 'utf8')) as T

const recorded = golden<ReportGenerated>('ReportGenerated')
const labelState = golden<LabelStateRecorded>('LabelStateRecorded')
const { document: policyDocument } = golden<PolicyActivated>('PolicyActivated')
process.stdout.write(`${JSON.stringify(recompute(recorded, { labelState, policyDocument }))}\n`)
