/**
 * Decides a screening from labels, from chain data (balance, transaction count, tokens, code at the address) and from
 * exposure measured on the ledger. Without providers and without a ledger it decides from labels alone.
 */
import type { Report, ReportGenerated } from '@cupel/contracts'
import { noChainInputs } from '../chain-facts/chain-inputs.js'
import { readChainFacts, type ChainReading } from '../chain-facts/read-chain-facts.js'
import { canonicalJson, sha256Hex, type Sha256Hex } from '../json/canonical-json.js'
import { judge, type Judgement } from '../risk/judge.js'
import { ASSET_TABLE_VERSION } from '../tables/asset-table.js'
import { CHAIN_TABLE_VERSION } from '../tables/chain-table.js'
import { SCORER_VERSION } from '../version.js'
import { readExposure, type ExposureReading } from './exposure-reading.js'
import { labelState } from './label-state.js'
import { notExamined } from './not-examined.js'
import { buildReport } from './report-document.js'
import type { ScreeningInputs } from './screening-inputs.js'

/** Decides a screening: returns the report with the record of its inputs. */
export function scoreScreening(inputs: ScreeningInputs, sha256: Sha256Hex = sha256Hex): ReportGenerated {
  const {
    request,
    snapshot,
    policy,
    generatedAt,
    chainInputs = noChainInputs,
    exposure = null,
    cluster = null,
  } = inputs
  const { labelView } = snapshot
  if (labelView === 'missing') throw new Error('unavailable: a screening needs labels')
  const chainReading = readChainFacts(request.chain, chainInputs)
  const exposureReading = readExposure(request.chain, exposure, chainReading, policy)
  const judgement = judge({
    chain: request.chain,
    canonicalAddress: request.canonicalAddress,
    labels: snapshot.labels,
    labelSets: snapshot.labelSets,
    labelView,
    chainKnowledge: exposureReading.knowledge,
    codeAtAddress: chainReading.codeAtAddress,
    hasFault: chainReading.isFaulted || exposureReading.isLowerBound,
    exposure: exposureReading.measures,
    exposureIsDropped: exposureReading.isDropped,
    cluster,
    generatedAt,
    policy,
  })
  const report = reportOf(inputs, judgement, chainReading, exposureReading)
  const { sanctions, darknet, mixer, scam, stolen, clean_exchange: cleanExchange } = report.risk.categories
  return {
    ...request,
    report: JSON.stringify(report),
    level: judgement.level,
    score: report.risk.score,
    categories: { sanctions, darknet, mixer, scam, stolen, cleanExchange },
    levelReasons: judgement.levelReasons,
    scoreIsLowerBound: judgement.scoreIsLowerBound,
    generatedAt,
    reportSha256: sha256(canonicalJson(report)),
    inputs: {
      labelSetSeq: snapshot.labelSetSeq,
      labelView,
      labelStateSha256: labelState(snapshot).sha256,
      labels: judgement.considered,
      cluster: judgement.cluster,
      policyId: policy.document.id,
      policyVersion: policy.document.version,
      policySha256: policy.sha256,
      chainTableVersion: CHAIN_TABLE_VERSION,
      originTableVersion: inputs.originTableVersion,
      assetTableVersion: ASSET_TABLE_VERSION,
      scorerVersion: SCORER_VERSION,
      chainStage: chainInputs.stage,
      chainFacts: chainInputs.facts,
      exposure,
    },
  }
}

/** A name assigned again keeps its place, so the report reads in the order of its documentation. */
function reportOf(
  inputs: ScreeningInputs,
  judgement: Judgement,
  chainReading: ChainReading,
  exposureReading: ExposureReading,
): Report {
  const report = buildReport(inputs, judgement, SCORER_VERSION)
  return {
    ...report,
    balance: chainReading.balance,
    balance_base_units: chainReading.balanceBaseUnits,
    tx_count: chainReading.txCount,
    tx_count_kind: chainReading.txCountKind,
    balances: chainReading.balances,
    exposure: exposureReading.breakdown,
    coverage: {
      ...report.coverage,
      not_examined: notExamined({
        chain: inputs.request.chain,
        exposure: inputs.exposure ?? null,
        cluster: judgement.cluster,
      }),
      chain_data: chainReading.coverage,
      exposure: exposureReading.coverage,
      prices: exposureReading.prices,
    },
  }
}
