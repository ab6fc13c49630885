/**
 * Measures the share of a screen's CPU for evidence of who wrote its records: MACs and the signature of its report. The operations
 * are measured by themselves, on the records of the load that the screens were measured with.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { topicOf } from '@cupel/contracts'
import { readRecordKeys, type LogRecord } from '@cupel/event-log'
import { benchmarkBodies } from '../addresses.js'
import { generateLoad } from '../child-processes.js'
import type { LoadPhase, LoadResult } from '../load.js'
import { openLog, runningLog } from '../log-connection.js'
import { watchProcesses, type ProcessWatch } from '../process-watch.js'
import { enterpriseKey, startSystem, type Profile, type RunningSystem } from '../system.js'
import { sealingRows, sealingTurns, type SealingRow } from './sealing-cost.js'
import { BATCHES, operationCosts, signaturesPerReport, type OperationCosts } from './operation-cost.js'

export interface EvidenceOptions {
  readonly root: string
  readonly profile: Profile
  readonly seconds: number
  readonly say: (line: string) => void
}

export interface EvidenceRow {
  readonly load: string
  readonly perSecond: number
  /** CPU of all processes of the installation, database and broker included. */
  readonly screenMicros: number
  /** Signatures per report: 1 if every report is a separate batch. */
  readonly signatures: number
  readonly evidenceMicros: number
  readonly share: number
}

export interface EvidenceResults {
  readonly date: string
  readonly cores: number
  readonly loadAverage: number
  readonly profile: Profile
  readonly seconds: number
  readonly macMicros: number
  readonly checkMicros: number
  readonly signMicros: Readonly<Record<string, number>>
  readonly rows: readonly EvidenceRow[]
  readonly sealing: readonly SealingRow[]
}

/** A screen appends its request and its report. */
const MACS_PER_SCREEN = 2
/** On Kafka the scorer, the API, the report view and the audit view each read one of them; the embedded log passes them in memory. */
const CHECKS_PER_SCREEN: Readonly<Record<Profile, number>> = { embedded: 0, kafka: 4 }
const LOADS: readonly Pick<LoadPhase, 'kind' | 'level'>[] = [
  { kind: 'open', level: 50 },
  { kind: 'closed', level: 64 },
]
const WARM_UP_SECONDS = 15
const TURN_WARM_UP_SECONDS = 3
const CONNECTIONS = 64
/** Of the newest records of each topic. */
const SAMPLE_PER_PARTITION = 50

export async function runEvidence(options: EvidenceOptions): Promise<EvidenceResults> {
  const { root, profile, seconds, say } = options
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10
  const home = await mkdtemp(join(tmpdir(), 'cupel-bench-evidence-'))
  let system: RunningSystem | null = null
  try {
    say('start')
    system = await startSystem({ root, home, profile })
    const key = await enterpriseKey(system, 'Benchmark')
    const bodies = await benchmarkBodies(null)
    const target = {
      kind: 'http',
      baseUrls: system.line.base_urls,
      key,
      bodies,
      connections: CONNECTIONS,
    } as const
    const measured: { phase: LoadPhase; perSecond: number; cpuSeconds: number; records: LogRecord[] }[] = []
    for (const load of LOADS) {
      say(`${load.kind} loop ${load.level}`)
      const phase = { ...load, seconds }
      const warmUp = { ...load, seconds: WARM_UP_SECONDS }
      const { result, cpuSeconds } = await measure(system, { target, warmUp, phases: [phase] })
      const screens = result.requests - result.errors
      measured.push({
        ...{ phase, perSecond: result.perSecond, cpuSeconds: cpuSeconds / screens },
        records: await newestRecords(system, home),
      })
    }
    say('customer references, by turns')
    const present = system
    const sealing = await sealingTurns(bodies, { ...LOADS[0]!, seconds }, (own, phase) => {
      const warmUp = { ...LOADS[0]!, seconds: TURN_WARM_UP_SECONDS }
      return measure(present, { target: { ...target, bodies: own }, warmUp, phases: [phase] })
    })
    await system.stop()
    say('operations')
    const keys = readRecordKeys(join(home, 'record-keys.json'))
    const costs = operationCosts(
      measured.flatMap(({ records }) => records),
      keys,
    )
    return {
      ...{ date: new Date().toISOString().slice(0, 10), cores: cpus().length, loadAverage, profile, seconds },
      ...{ macMicros: costs.macMicros, checkMicros: costs.checkMicros },
      signMicros: Object.fromEntries(costs.signMicros),
      sealing: sealingRows(sealing),
      rows: measured.map(({ phase, perSecond, cpuSeconds, records }) => {
        const signatures = signaturesPerReport(records)
        const evidenceMicros = evidenceCost(profile, costs, signatures)
        const screenMicros = cpuSeconds * 1_000_000
        const load = `${phase.kind} loop, ${phase.level}`
        return {
          load,
          perSecond,
          screenMicros,
          signatures,
          evidenceMicros,
          share: evidenceMicros / screenMicros,
        }
      }),
    }
  } finally {
    await system?.stop()
    await rm(home, { recursive: true, force: true })
  }
}

/** One phase, and the CPU seconds of all processes of the installation during it. */
async function measure(
  system: RunningSystem,
  order: Parameters<typeof generateLoad>[0],
): Promise<{ readonly result: LoadResult; readonly cpuSeconds: number }> {
  let watch: ProcessWatch | undefined
  const [result] = await generateLoad(order, async () => {
    watch = await watchProcesses(system.pid)
  })
  const { cpu } = await watch!.stop()
  return { result: result!, cpuSeconds: cpu.reduce((sum, { seconds: own }) => sum + own, 0) }
}

function evidenceCost(
  profile: Profile,
  { macMicros, checkMicros, signMicros }: OperationCosts,
  signatures: number,
): number {
  const [smallest, largest] = [BATCHES[0], BATCHES[BATCHES.length - 1]!]
  // A batch costs one signature, and each report its leaf and path.
  const perReport = (signMicros.get(largest)! - signMicros.get(smallest)!) / (largest - smallest)
  const perBatch = signMicros.get(smallest)! - perReport
  const macs = MACS_PER_SCREEN * macMicros + CHECKS_PER_SCREEN[profile] * checkMicros
  return macs + perReport + signatures * perBatch
}

/** The last requests and reports of each partition, as in the log. */
async function newestRecords(system: RunningSystem, home: string): Promise<LogRecord[]> {
  const { log, close } = await openLog(await runningLog(system.profile, home), 'bench-evidence')
  const found: LogRecord[] = []
  try {
    for (const topic of [topicOf('ScreenRequested'), topicOf('ReportGenerated')])
      for (let partition = 0; partition < (await log.partitionCount(topic)); partition += 1) {
        const to = await log.endOffset(topic, partition)
        const from = Math.max(await log.startOffset(topic, partition), to - SAMPLE_PER_PARTITION)
        if (from < to)
          for await (const records of log.read({ topic, partition, from, to })) found.push(...records)
      }
    return found
  } finally {
    await close()
  }
}
