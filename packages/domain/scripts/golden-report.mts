// Prints the data of one golden sample, as the present code makes it. Three samples show one real decision: the state of the lists,
// the policy and the report. After a change of an unreleased scorer or policy:
//   for event in LabelStateRecorded PolicyActivated ReportGenerated; do
//     npx tsx --conditions=cupel-source packages/domain/scripts/golden-report.mts $event > data.json
//     node packages/event-log/scripts/golden-sample.mjs $event data.json --replace
//   done
import { readFileSync } from 'node:fs'
import type { LabelStateRecorded, PolicyActivated, ReportGenerated } from '@cupel/contracts'
import { compiledDefaultPolicy, labelState, recompute } from '../src/index.js'

const golden = <T,>(event: string): T =>
  JSON.parse(readFileSync(new URL(`../../../schemas/golden/${event}/1.json`, import.meta.url), 'utf8')) as T

const { canonical, sha256, document } = compiledDefaultPolicy
const policy = {
  ...golden<PolicyActivated>('PolicyActivated'),
  policyId: document.id,
  version: document.version,
  document: canonical,
  sha256,
}
const lists = labelState(golden<LabelStateRecorded>('LabelStateRecorded'))
const recorded = golden<ReportGenerated>('ReportGenerated')
const data: Record<string, () => unknown> = {
  LabelStateRecorded: () => lists,
  PolicyActivated: () => policy,
  ReportGenerated: () =>
    recompute(
      {
        ...recorded,
        inputs: { ...recorded.inputs, labelStateSha256: lists.sha256, policySha256: sha256 },
      },
      { labelState: lists, policyDocument: canonical },
    ),
}
const make = data[process.argv[2] ?? '']
if (make === undefined) throw new Error(`Name one of ${Object.keys(data).join(', ')}`)
process.stdout.write(`${JSON.stringify(make())}\n`)
