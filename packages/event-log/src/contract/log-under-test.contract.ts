/** How the contract suite opens a log, and the helpers that its cases share. */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TopicSpec } from '@cupel/contracts'
import { afterAll, beforeAll, vi } from 'vitest'
import type { Checkpoint, EventLog, LogBatch, LogIdentity, LogRecord, SubscribeOptions } from '../port.js'
import type { ChildTask } from './records.contract.js'

export { numbered, record, textOf } from './records.contract.js'

/** A log that may be one of a single process. */
export interface LogOfProcess {
  /** Opens another adapter on the log, as a further process would. The suite closes it. */
  open(options?: { readonly topicPrefix?: string }): Promise<EventLog>
  /** Deletes everything before an offset of a topic without prefix, as retention or an accident would. */
  deleteBefore(position: { topic: string; partition: number; offset: number }): Promise<void>
  /** Called once at the end, after every log was closed. */
  release(): Promise<void>
}

export interface LogUnderTest extends LogOfProcess {
  /** A module with `export async function openLog(config: string): Promise<EventLog>`, for child processes. */
  readonly childModule: URL
  /** The argument that child processes give to `openLog`, for example a connection string or brokers. */
  readonly childConfig: string
}

/** The longest wait of a case for one event: a killed member's lease runs out, a child or a broker starts, all on a busy machine. */
const PATIENCE_MS = 120_000
export const CASE_TIMEOUT_MS = 180_000

export interface ContractContext {
  readonly underTest: () => LogOfProcess
  /** One adapter, shared by all cases of a group. */
  readonly log: () => EventLog
  open(options?: { readonly topicPrefix?: string }): Promise<EventLog>
  /** Creates a separate topic for a case. */
  newTopic(partitions: number): Promise<string>
  /** Runs after the cases, before the logs are closed. */
  onClose(work: () => Promise<void>): void
}

/** Starts the log before the cases of a file and afterwards closes everything that the cases opened. */
export function contractContext(start: () => Promise<LogOfProcess>): ContractContext {
  let underTest: LogOfProcess
  let log: EventLog
  const opened: EventLog[] = []
  const closing: (() => Promise<void>)[] = []
  const open: ContractContext['open'] = async (options) => {
    const another = await underTest.open(options)
    opened.push(another)
    return another
  }
  beforeAll(async () => {
    underTest = await start()
    log = await open()
    await log.ensureTopics([])
  }, CASE_TIMEOUT_MS)
  afterAll(async () => {
    for (const work of closing) await work()
    await Promise.all(opened.map((each) => each.close()))
    await underTest.release()
  }, CASE_TIMEOUT_MS)
  return {
    underTest: () => underTest,
    log: () => log,
    open,
    onClose: (work) => void closing.push(work),
    async newTopic(partitions) {
      const name = `contract.${randomBytes(6).toString('hex')}.v1`
      await log.ensureTopics([topicSpec(name, partitions)])
      return name
    },
  }
}

export function topicSpec(name: string, partitions: number): TopicSpec {
  return {
    name,
    partitions,
    producer: 'ordered',
    config: { 'cleanup.policy': 'delete', 'retention.ms': '-1', 'max.message.bytes': '2097152' },
  }
}

export function newGroup(): string {
  return `contract.${randomBytes(6).toString('hex')}`
}

export async function readAll(log: EventLog, topic: string, partition: number): Promise<LogRecord[]> {
  const to = await log.endOffset(topic, partition)
  const records: LogRecord[] = []
  for await (const batch of log.read({ topic, partition, from: 0, to })) records.push(...batch)
  return records
}

/** Polls until a condition holds; fails with the last reason. */
export async function until(condition: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(condition, { timeout: PATIENCE_MS, interval: 20 })
}

/** Stores checkpoints as a projection would. The members of a group share them, and the checkpoints outlive the members. */
export interface CheckpointStore {
  readonly load: SubscribeOptions['checkpoint']
  advance(batch: Pick<LogBatch, 'topic' | 'partition' | 'nextOffset'>): void
  next(topic: string, partition: number): number | undefined
  set(topic: string, partition: number, checkpoint: Checkpoint): void
}

export function checkpointStore(identity: LogIdentity): CheckpointStore {
  const stored = new Map<string, Checkpoint>()
  return {
    load: async ({ topic, partition }) => stored.get(`${topic}/${partition}`) ?? null,
    advance: ({ topic, partition, nextOffset }) =>
      stored.set(`${topic}/${partition}`, { next: nextOffset, log: identity }),
    next: (topic, partition) => stored.get(`${topic}/${partition}`)?.next,
    set: (topic, partition, checkpoint) => stored.set(`${topic}/${partition}`, checkpoint),
  }
}

/** Options of a subscription that handles everything at once. The case fails if the subscription stops or retries. */
export function subscribeOptions(
  options: Pick<SubscribeOptions, 'group' | 'topics' | 'handle' | 'checkpoint'> & Partial<SubscribeOptions>,
): SubscribeOptions {
  return {
    maxBatchRecords: 500,
    concurrency: 8,
    onStopped: failTheCase,
    onRetry: failTheCase,
    ...options,
  }
}

/** Throws outside the adapter's own calls, where the adapter could swallow the error. */
function failTheCase(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

/** A child process on the same log. `messages` receives its output, one JSON value for each line. */
export interface Child {
  readonly messages: readonly unknown[]
  kill(): Promise<void>
  /** Resolves when the process has ended by itself; rejects if it failed. */
  ended(): Promise<void>
}

const CHILD_SCRIPT = fileURLToPath(new URL('./child.contract.ts', import.meta.url))

export function startChild(underTest: LogUnderTest, task: ChildTask): Child {
  const job = JSON.stringify({ module: underTest.childModule.href, config: underTest.childConfig, task })
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions', 'cupel-source', CHILD_SCRIPT, job],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const messages: unknown[] = []
  createInterface({ input: child.stdout }).on('line', (line) => messages.push(JSON.parse(line)))
  let complaint = ''
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
  const end = exitOf(child)
  return {
    messages,
    async kill() {
      child.kill('SIGKILL')
      await end
    },
    async ended() {
      const code = await end
      if (code !== 0) throw new Error(`The child process ended with ${code}: ${complaint}`)
    },
  }
}

function exitOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing'))
  })
}
