/** Decides screens as the scorer does, in batches but without the log: one read of the labels, then pure code. */
import type { Report } from '@cupel/contracts'
import {
  compiledDefaultPolicy,
  decideScreening,
  parseAddress,
  type LabelFacts,
  type ParsedAddress,
  type ScreeningRequest,
} from '@cupel/domain'
import { currentLedger, examineAddress } from '@cupel/ledger'
import type { Database } from '@cupel/postgres'
import {
  labelFacts,
  newestPublication,
  readLabelsAsOf,
  readLabelSnapshot,
  setFacts,
} from '@cupel/labels/read-model'

/** An address as a caller would send it. */
export interface Asked {
  readonly address: string
  /** Null to detect it. */
  readonly chain: string | null
}

const BATCH = 500

/** The only clock of a decision, UTC. */
export interface Clock {
  readonly generatedAt: string
}

/** Returns one report per address, in order. Throws if an address is rejected: all of these are valid. */
export async function judgeAddresses(
  database: Database,
  asked: readonly Asked[],
  clock: Clock,
): Promise<readonly Report[]> {
  const reports: Report[] = []
  for (let from = 0; from < asked.length; from += BATCH)
    reports.push(...(await judgeBatch(database, asked.slice(from, from + BATCH), clock)))
  return reports
}

async function judgeBatch(
  database: Database,
  asked: readonly Asked[],
  { generatedAt }: Clock,
): Promise<readonly Report[]> {
  const parsed = asked.map(({ address, chain }) => {
    const result = parseAddress(address, chain ?? undefined)
    if (!result.ok) throw new Error(`${address} (${chain ?? 'no chain'}) is refused: ${result.reason}`)
    return result
  })
  const snapshot = await readLabelSnapshot(database, {
    lookupKeys: [...new Set(parsed.map(({ lookupKey }) => lookupKey))],
  })
  const sets = snapshot.sets ?? []
  const standing = {
    labelSetSeq: snapshot.labelSetSeq,
    labelView: 'current' as const,
    labelsAsOf: newestPublication(sets),
    labelSets: sets.map(setFacts),
  }
  return parsed.map((result, index) => {
    const labels = snapshot.labels.filter(({ lookupKey }) => lookupKey === result.lookupKey).map(labelFacts)
    return decide({
      request: requestOf(asked[index]!, result),
      snapshot: { ...standing, labels },
      policy: compiledDefaultPolicy,
      generatedAt,
    })
  })
}

function decide(inputs: Parameters<typeof decideScreening>[0]): Report {
  const decision = decideScreening(inputs)
  if (decision.outcome !== 'decided') throw new Error(decision.detail)
  return JSON.parse(decision.event.report) as Report
}

function requestOf({ address, chain }: Asked, parsed: ParsedAddress): ScreeningRequest {
  return {
    reportId: '0'.repeat(16),
    accountId: 'bench',
    livemode: true,
    address,
    canonicalAddress: parsed.canonical,
    chain: parsed.chain,
    candidateChains: chain === null ? parsed.candidateChains : [],
    customerReference: null,
    reportUrl: '',
    jobId: null,
    jobIndex: null,
  }
}

/** Returns reports with the exposure of each address, examined on the ledger as the scorer does. */
export async function judgeOnLedger(
  database: Database,
  chain: string,
  addresses: readonly string[],
  { generatedAt }: Clock,
): Promise<ReadonlyMap<string, Report>> {
  const ledgerSeq = (await currentLedger(database)).ledgerSeq
  const { labelSetSeq, sets } = await readLabelSnapshot(database, { lookupKeys: [] })
  const labelSets = (sets ?? []).map(setFacts)
  const labelsOf = async (lookupKeys: readonly string[]) => {
    const { labels } = await readLabelsAsOf(database, { lookupKeys, labelSetSeq })
    const byKey = new Map<string, LabelFacts[]>()
    for (const label of labels)
      byKey.set(label.lookupKey, [...(byKey.get(label.lookupKey) ?? []), labelFacts(label)])
    return byKey
  }
  const policy = compiledDefaultPolicy
  const judge = async (address: string): Promise<Report> => {
    const parsed = parseAddress(address, chain)
    if (!parsed.ok) throw new Error(`${address} (${chain}) is refused: ${parsed.reason}`)
    const labels = (await labelsOf([parsed.lookupKey])).get(parsed.lookupKey) ?? []
    const exposure = await examineAddress(database, {
      chain,
      address: parsed.canonical,
      ledgerSeq,
      policy,
      labelSets,
      generatedAt,
      labelsOf,
    })
    return decide({
      request: requestOf({ address, chain }, parsed),
      snapshot: {
        labelSetSeq,
        labelView: 'current',
        labelsAsOf: newestPublication(sets ?? []),
        labelSets,
        labels,
      },
      exposure,
      policy,
      generatedAt,
    })
  }
  const reports = new Map<string, Report>()
  for (let from = 0; from < addresses.length; from += CONCURRENT_ADDRESSES) {
    const part = addresses.slice(from, from + CONCURRENT_ADDRESSES)
    const judged = await Promise.all(part.map(judge))
    part.forEach((address, index) => reports.set(address, judged[index]!))
  }
  return reports
}

const CONCURRENT_ADDRESSES = 8
