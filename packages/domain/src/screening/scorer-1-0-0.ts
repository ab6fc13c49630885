/**
 * Scorer 1.0.0: ownership by labels; no chain data, no exposure.
 * A released scorer stays as it is: a change that could alter any byte of any report is a new version beside it.
 */
import type { ReportGenerated } from '@cupel/contracts'
import { canonicalJson, sha256Hex } from '../json/canonical-json.js'
import { judge } from '../risk/judge.js'
import { buildReport } from './report-document.js'
import type { ScreeningInputs, TableVersions } from './screening-inputs.js'

export const SCORER_1_0_0 = '1.0.0'

/** Decides a screening: the report and the record of what it rests on. */
export function scoreScreening(inputs: ScreeningInputs, tables: TableVersions): ReportGenerated {
  const { request, snapshot, policy, generatedAt } = inputs
  const { labelView } = snapshot
  if (labelView === 'missing') throw new Error('unavailable: a screening needs labels')
  const judgement = judge({
    chain: request.chain,
    canonicalAddress: request.canonicalAddress,
    labels: snapshot.labels,
    labelSets: snapshot.labelSets,
    labelView,
    chainKnowledge: { status: 'unavailable' },
    generatedAt,
    policy,
  })
  const report = buildReport(inputs, judgement, SCORER_1_0_0)
  const { sanctions, darknet, mixer, scam, stolen, clean_exchange: cleanExchange } = report.risk.categories
  return {
    reportId: request.reportId,
    report: JSON.stringify(report),
    accountId: request.accountId,
    livemode: request.livemode,
    address: request.address,
    canonicalAddress: request.canonicalAddress,
    chain: request.chain,
    candidateChains: request.candidateChains,
    customerReference: request.customerReference,
    level: judgement.level,
    score: report.risk.score,
    categories: { sanctions, darknet, mixer, scam, stolen, cleanExchange },
    levelReasons: judgement.levelReasons,
    scoreIsLowerBound: judgement.scoreIsLowerBound,
    generatedAt,
    reportUrl: request.reportUrl,
    jobId: request.jobId,
    jobIndex: request.jobIndex,
    reportSha256: sha256Hex(canonicalJson(report)),
    inputs: {
      labelSetSeq: snapshot.labelSetSeq,
      labelView,
      labelsAsOf: snapshot.labelsAsOf,
      labelSets: judgement.labelSets,
      labels: judgement.considered,
      policyId: policy.document.id,
      policyVersion: policy.document.version,
      policySha256: policy.sha256,
      policyDocument: policy.canonical,
      ...tables,
      scorerVersion: SCORER_1_0_0,
      chainStage: '',
      chainFacts: [],
      exposure: null,
    },
  }
}
