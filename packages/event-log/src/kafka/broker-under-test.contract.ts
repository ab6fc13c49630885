/** A broker of a test's own, which it may kill, stop and replace. */
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  ensureKafkaPrograms,
  freePort,
  startKafka,
  type KafkaAccess,
  type KafkaJars,
  type RunningKafka,
} from '@cupel/local-stack'
import { newKafkaFolder, RECORD_FOLDER } from '@cupel/testkit'
import type { TopicSpec } from '@cupel/contracts'

export interface BrokerUnderTest {
  readonly access: () => KafkaAccess
  readonly pid: () => number
  /** SIGKILL: nothing is flushed, nobody is told. */
  kill(): Promise<void>
  /** Starts the killed or stopped broker again, on the same port and data. */
  start(): Promise<void>
  /** Puts an empty cluster in its place, on the same port and with the same password. */
  replace(): Promise<void>
  stop(): Promise<void>
}

/** The jars, or why there are none: then the tests that need a broker of their own are skipped, except under CI. */
export async function jarsOrReason(): Promise<KafkaJars | string> {
  try {
    return await ensureKafkaPrograms({ onProgress: say })
  } catch (error) {
    if (process.env['CI'] === 'true' || process.env['CI'] === '1') throw error
    const reason = error instanceof Error ? error.message : String(error)
    say(`Tests with a broker of their own are skipped: ${reason}`)
    return reason
  }
}

/** Straight to the terminal: a skipped test must be noticed. */
const say = (sentence: string): void => void process.stderr.write(`\n${sentence}\n`)

export async function startBroker(jars: KafkaJars): Promise<BrokerUnderTest> {
  const folder = await newKafkaFolder()
  const [port, controllerPort] = [await freePort(), await freePort()]
  let cluster = 0
  let running: RunningKafka | null = null
  const broker: BrokerUnderTest = {
    access: () => running!.access,
    pid: () => running!.pid,
    async kill() {
      process.kill(running!.pid, 'SIGKILL')
      await running!.child.exited
    },
    async start() {
      running = await startKafka({
        jars,
        folder: join(folder, `cluster-${cluster}`),
        logFile: join(folder, 'kafka.log'),
        recordFolder: join(folder, RECORD_FOLDER),
        port,
        controllerPort,
      })
    },
    async replace() {
      await running!.stop()
      const before = join(folder, `cluster-${cluster}`)
      cluster += 1
      const folderOfNext = join(folder, `cluster-${cluster}`)
      await mkdir(folderOfNext)
      await copyFile(join(before, 'password'), join(folderOfNext, 'password'))
      await broker.start()
    },
    async stop() {
      await running?.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
  await broker.start()
  return broker
}

export function specOf(
  name: string,
  options: { partitions?: number; producer?: TopicSpec['producer']; maxBytes?: number } = {},
): TopicSpec {
  return {
    name,
    partitions: options.partitions ?? 1,
    producer: options.producer ?? 'ordered',
    config: {
      'cleanup.policy': 'delete',
      'retention.ms': '-1',
      'max.message.bytes': String(options.maxBytes ?? 2_097_152),
    },
  }
}
