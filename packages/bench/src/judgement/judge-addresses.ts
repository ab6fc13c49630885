/** Decides screens as the scorer does, in batches and without the way there: one read of the labels, then pure code. */
import type { Report } from '@cupel/contracts'
import { compiledDefaultPolicy, decideScreening, parseAddress } from '@cupel/domain'
import type { Database } from '@cupel/postgres'
import { labelFacts, newestPublication, readLabelSnapshot, setFacts } from '@cupel/read-models'

/** An address as a caller would send it. */
export interface Asked {
  readonly address: string
  /** Null: it is detected. */
  readonly chain: string | null
}

const BATCH = 500

export interface JudgeTimings {
  /** Milliseconds of each look-up of a batch. */
  readonly lookUpMs: number[]
  decideMs: number
}

/** One report per address, in order. Throws where an address is refused: these are valid ones. */
export async function judgeAddresses(
  database: Database,
  asked: readonly Asked[],
  timings: JudgeTimings = { lookUpMs: [], decideMs: 0 },
): Promise<readonly Report[]> {
  const reports: Report[] = []
  for (let from = 0; from < asked.length; from += BATCH)
    reports.push(...(await judgeBatch(database, asked.slice(from, from + BATCH), timings)))
  return reports
}

async function judgeBatch(
  database: Database,
  asked: readonly Asked[],
  timings: JudgeTimings,
): Promise<readonly Report[]> {
  const parsed = asked.map(({ address, chain }) => {
    const result = parseAddress(address, chain ?? undefined)
    if (!result.ok) throw new Error(`${address} (${chain ?? 'no chain'}) is refused: ${result.reason}`)
    return result
  })
  const since = performance.now()
  const snapshot = await readLabelSnapshot(database, {
    lookupKeys: [...new Set(parsed.map(({ lookupKey }) => lookupKey))],
  })
  timings.lookUpMs.push(performance.now() - since)
  const sets = snapshot.sets ?? []
  const standing = {
    labelSetSeq: snapshot.labelSetSeq,
    labelView: 'current' as const,
    labelsAsOf: newestPublication(sets),
    labelSets: sets.map(setFacts),
  }
  const decidedSince = performance.now()
  const generatedAt = new Date().toISOString()
  const reports = parsed.map((result, index) => {
    const decision = decideScreening({
      request: {
        reportId: index.toString(16).padStart(16, '0'),
        accountId: 'bench',
        livemode: true,
        address: asked[index]!.address,
        canonicalAddress: result.canonical,
        chain: result.chain,
        candidateChains: asked[index]!.chain === null ? result.candidateChains : [],
        customerReference: null,
        reportUrl: '',
        jobId: null,
        jobIndex: null,
      },
      snapshot: {
        ...standing,
        labels: snapshot.labels.filter(({ lookupKey }) => lookupKey === result.lookupKey).map(labelFacts),
      },
      policy: compiledDefaultPolicy,
      generatedAt,
    })
    if (decision.outcome !== 'decided') throw new Error(decision.detail)
    return JSON.parse(decision.event.report) as Report
  })
  timings.decideMs += performance.now() - decidedSince
  return reports
}
