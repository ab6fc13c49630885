/** The report as callers read it: built once, in the order of its documentation, and never rewritten. */
import type { Report } from '@cupel/contracts'
import type { Judgement } from '../risk/judge.js'
import type { LabelSetFacts } from '../risk/label-facts.js'
import { isMissing, type JudgedSet } from '../risk/lists.js'
import type { ScreeningInputs } from './screening-inputs.js'

/** Builds the report. Points are hundredths until here; a quotient by 100 prints with at most two decimals. */
export function buildReport(
  { request, snapshot, policy, generatedAt }: ScreeningInputs,
  judgement: Judgement,
  { scorerVersion, isOfDemo }: { readonly scorerVersion: string; readonly isOfDemo: boolean },
): Report {
  const points = judgement.categoryHundredths
  const missing = snapshot.labelSets.filter(isMissing)
  return {
    report_id: request.reportId,
    address: request.address,
    chain: request.chain,
    ...(request.candidateChains.length > 0 ? { candidate_chains: [...request.candidateChains] } : {}),
    livemode: request.livemode,
    ...(isOfDemo ? { demo: true } : {}),
    customer_reference: request.customerReference,
    risk: {
      level: judgement.level,
      score: judgement.overallHundredths / 100,
      level_reasons: [...judgement.levelReasons],
      score_is_lower_bound: judgement.scoreIsLowerBound,
      conflicts: [...judgement.conflicts],
      categories: {
        sanctions: points.sanctions / 100,
        darknet: points.darknet / 100,
        mixer: points.mixer / 100,
        scam: points.scam / 100,
        stolen: points.stolen / 100,
        clean_exchange: points.clean_exchange / 100,
      },
      evidence: [...judgement.evidence],
      evidence_omitted: judgement.evidenceOmitted,
    },
    balance: null,
    balance_base_units: null,
    tx_count: null,
    tx_count_kind: null,
    balances: [],
    report_url: request.reportUrl,
    generated_at: generatedAt,
    exposure: [],
    cluster: shownCluster(judgement.cluster),
    coverage: {
      not_examined: [],
      labels: {
        status: judgement.labelsCoverage,
        as_of: judgement.listsAsOf,
        sources: snapshot.labelSets.length - missing.length,
        lists: judgement.labelSets.filter(isShown).map(shownList),
        ...(missing.length === 0 ? {} : { missing: missing.map(nameOf) }),
      },
      chain_data: { status: 'unavailable', source: null, height: null, as_of: null },
      exposure: {
        status: 'unavailable',
        reason: null,
        incomplete: [],
        hops_searched: 0,
        transfers_examined: 0,
        truncated: false,
      },
      prices: null,
    },
    policy: { id: policy.document.id, version: policy.document.version },
    scorer_version: scorerVersion,
    label_snapshot: String(snapshot.labelSetSeq),
  }
}

const nameOf = ({ source, dataset }: LabelSetFacts): string =>
  source === '' ? dataset : `${source}/${dataset}`

/** Every list that a report rests on by name: an authority's own, and what must be fresh or was expected. */
const isShown = (set: JudgedSet): boolean =>
  set.authorityOrigin !== '' || set.isRequired || set.refreshConfigured || isMissing(set)

function shownList(set: JudgedSet): Report['coverage']['labels']['lists'][number] {
  return {
    source: set.source,
    dataset: set.dataset,
    authority: set.authorityOrigin === '' ? null : set.authorityOrigin,
    whole: set.whole,
    list_date: set.asOf,
    confirmed_at: set.confirmedAt,
    labels: set.visible,
    rows: {
      read: set.rows.read,
      refused: set.rows.refused,
      skipped: set.rows.skipped,
      unreadable: set.rows.unreadable,
      accepted: set.rows.accepted,
    },
    status: set.status,
  }
}

/** A read that failed found no cluster to show. */
function shownCluster(cluster: Judgement['cluster']): Report['cluster'] {
  if (cluster === null || cluster.clusterId === '') return null
  return {
    id: cluster.clusterId,
    size: cluster.size,
    heuristic: 'common-input',
    as_of: String(cluster.ledgerSeq),
    stopped: cluster.stopped === '' ? null : cluster.stopped,
  }
}
