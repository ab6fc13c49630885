/**
 * Screens an address as of a past moment: the current scorer decides with the lists, policy, ledger and prices of that moment. The
 * result is not a report: it has no id, nothing is stored, and no event records it. Providers of chain data cannot be queried about the
 * past. Their answers are left out, which never makes the result greener (docs/adr/0001).
 */
import { createHash } from 'node:crypto'
import type { Report, ReportGenerated } from '@cupel/contracts'
import {
  decideScreening,
  knownCandidates,
  labelState,
  parseAddress,
  sandboxLabels,
  type ChainFindings,
  type CompiledPolicy,
  type LabelFacts,
  type RiskLevel,
  type ScreenedAddress,
  type ScreeningSnapshot,
} from '@cupel/domain'
import type { Pace } from '@cupel/ledger'
import {
  inForceAt,
  labelFacts,
  newestPublication,
  readLabelsAsOf,
  readOwnLabels,
  setFacts,
} from '@cupel/labels/read-model'
import { readPastLedger, type PastFindings } from './past-ledger.js'
import { findPastState, sandboxPolicy, type NotYet, type PastSource } from './past-state.js'

export interface AsOfRequest extends ScreenedAddress {
  /** Its own labels of that moment count. */
  readonly accountId: string
  readonly livemode: boolean
  readonly customerReference: string | null
  /** UTC, RFC 3339 with milliseconds, not in the future. */
  readonly asOf: string
}

/** The report of that moment, without the fields that only a report has. */
export type PastReport = Omit<Report, 'report_id' | 'report_url'>

export interface AsOfScreening {
  readonly asOf: string
  /** Names the state of all lists, as `label_snapshot` of a report does. */
  readonly labelSetSeq: number
  /** UTC time of the newest publication. */
  readonly labelsAsOf: string
  /** The hash by which a report names that state. */
  readonly labelStateSha256: string
  readonly policy: {
    readonly id: string
    readonly version: number
    readonly sha256: string
    /** UTC, RFC 3339; null in the sandbox, whose policy never changes. */
    readonly activatedAt: string | null
  }
  /** 0 if the ledger was empty. */
  readonly ledgerSeq: number
  readonly report: PastReport
}

/**
 * Resolves to what was missing if the moment lies before the first list or policy. `pace` shares the event loop. An error that it throws
 * ends the work.
 */
export async function screenAsOf(
  source: PastSource,
  request: AsOfRequest,
  pace: Pace,
): Promise<AsOfScreening | NotYet> {
  return request.livemode ? await screenLive(source, request, pace) : await screenInSandbox(source, request)
}

async function screenLive(
  source: PastSource,
  request: AsOfRequest,
  pace: Pace,
): Promise<AsOfScreening | NotYet> {
  const { database } = source
  const { asOf } = request
  const state = await findPastState(source, asOf)
  if (typeof state === 'string') return state
  const { labelSetSeq, policy, policyActivatedAt, ledgerSeq } = state
  const chains = onEveryChain(request)
  const lookupKeys = [...new Set(chains.map(({ lookupKey }) => lookupKey))]
  const [{ sets, labels }, ownOf] = await Promise.all([
    readLabelsAsOf(database, { lookupKeys, labelSetSeq }),
    ownLabelsOf(source, request, lookupKeys),
  ])
  const labelSets = sets.map(setFacts)
  const readings = await Promise.all(
    chains.map(async ({ chain, canonicalAddress, lookupKey }): Promise<readonly ChainFindings[]> => {
      const listed = labels.filter((label) => label.lookupKey === lookupKey).map(labelFacts)
      const look = { chain, address: canonicalAddress, state, labelSets, pace }
      const found = await readPastLedger(database, look)
      return found.map((reading) => ({
        chain,
        canonicalAddress,
        labels: [...listed, ...ownOf(lookupKey)],
        ...reading,
      }))
    }),
  )
  const snapshot: ScreeningSnapshot = {
    ...{ labelSetSeq, labelView: 'current', labelSets },
    labelsAsOf: newestPublication(sets),
    labels: readings[0]![0]!.labels,
  }
  // The worst of all chains over the readings is the worst reading over all chains, so that one reading of each is enough at a time.
  const most = Math.max(...readings.map(({ length }) => length))
  const decisions = Array.from({ length: most }, (_, index) => {
    const [detected, ...others] = readings.map((ofChain) => ofChain[Math.min(index, ofChain.length - 1)]!)
    const { exposure = null, cluster = null } = detected!
    const candidates = knownCandidates(snapshot.labels, others)
    return decided(request, { snapshot, policy, exposure, cluster, candidates })
  })
  return answerOf(decisions.reduce(worse), { snapshot, policy, policyActivatedAt, ledgerSeq, asOf })
}

/** The detected chain first, then the other ones that the address is possible on. */
function onEveryChain({ chain: detected, canonicalAddress: text, address, candidateChains }: AsOfRequest) {
  const others = candidateChains.filter((chain) => chain !== detected)
  return [[text, detected] as const, ...others.map((chain) => [address, chain] as const)].map(([of, chain]) =>
    addressOn(of, chain),
  )
}

function addressOn(text: string, chain: string) {
  const parsed = parseAddress(text, chain)
  if (!parsed.ok) throw new TypeError(`The address is refused on ${chain}: ${parsed.reason}`)
  return { chain, canonicalAddress: parsed.canonical, lookupKey: parsed.lookupKey }
}

/** The own labels of the account that were in force at the moment, by look-up key. */
async function ownLabelsOf(
  { database }: PastSource,
  { accountId, livemode, asOf }: AsOfRequest,
  lookupKeys: readonly string[],
): Promise<(lookupKey: string) => readonly LabelFacts[]> {
  const owner = { accountId, livemode }
  const questions = lookupKeys.map((lookupKey) => ({ ...owner, lookupKey }))
  const labelsOf = await readOwnLabels(database, questions)
  return (lookupKey) => inForceAt(labelsOf({ ...owner, lookupKey }), asOf)
}

async function screenInSandbox(source: PastSource, request: AsOfRequest): Promise<AsOfScreening | NotYet> {
  const { canonicalAddress, chain, asOf } = request
  const { labels, ...lists } = sandboxLabels(canonicalAddress, chain, asOf)
  if (Date.parse(lists.labelsAsOf) > Date.parse(asOf)) return 'lists'
  const { lookupKey } = addressOn(canonicalAddress, chain)
  const own = (await ownLabelsOf(source, request, [lookupKey]))(lookupKey)
  const snapshot: ScreeningSnapshot = {
    ...{ labelSetSeq: 0, labelView: 'current', ...lists },
    labels: [...labels, ...own],
  }
  const policy = sandboxPolicy
  const decision = decided(request, { snapshot, policy, exposure: null, cluster: null })
  return answerOf(decision, { snapshot, policy, policyActivatedAt: null, ledgerSeq: 0, asOf })
}

interface PastInputs extends PastFindings {
  readonly candidates?: readonly ChainFindings[]
  readonly snapshot: ScreeningSnapshot
  readonly policy: CompiledPolicy
}

function decided(request: AsOfRequest, inputs: PastInputs): ReportGenerated {
  const { livemode, address, canonicalAddress, chain, candidateChains, customerReference, asOf } = request
  const decision = decideScreening(
    {
      ...inputs,
      request: {
        ...{ livemode, address, canonicalAddress, chain, candidateChains, customerReference },
        ...{ reportId: '', accountId: '', reportUrl: '', jobId: null, jobIndex: null },
      },
      generatedAt: asOf,
    },
    (text) => createHash('sha256').update(text).digest('hex'),
  )
  if (decision.outcome === 'unavailable') throw new Error(decision.detail)
  return decision.event
}

/** From best to worst for the address. */
const levels: readonly string[] = ['green', 'grey', 'orange', 'red'] satisfies readonly RiskLevel[]
const rank = ({ level }: ReportGenerated): number => levels.indexOf(level)

const worse = (a: ReportGenerated, b: ReportGenerated): ReportGenerated =>
  rank(b) > rank(a) || (rank(b) === rank(a) && b.score > a.score) ? b : a

function answerOf(
  decision: ReportGenerated,
  of: Pick<PastInputs, 'snapshot' | 'policy'> & {
    readonly policyActivatedAt: string | null
    readonly ledgerSeq: number
    readonly asOf: string
  },
): AsOfScreening {
  const { snapshot, policy, policyActivatedAt: activatedAt, ledgerSeq, asOf } = of
  const { id, version } = policy.document
  return {
    ...{ asOf, ledgerSeq },
    labelSetSeq: snapshot.labelSetSeq,
    labelsAsOf: snapshot.labelsAsOf,
    labelStateSha256: labelState(snapshot).sha256,
    policy: { id, version, sha256: policy.sha256, activatedAt },
    report: withoutIdentity(decision.report),
  }
}

/** The members keep their order and their values: the rest is exactly the text that a report would have had. */
function withoutIdentity(text: string): PastReport {
  const report = JSON.parse(text) as PastReport & Partial<Report>
  delete report.report_id
  delete report.report_url
  return report
}
