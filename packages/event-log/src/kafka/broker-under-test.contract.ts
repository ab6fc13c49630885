/** A separate broker for one test, which the test may kill, stop and replace. */
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
  /** Sends SIGKILL: the broker flushes nothing and notifies no client. */
  kill(): Promise<void>
  /** Restarts the killed or stopped broker on the same port and data. */
  start(): Promise<void>
  /** Replaces it with an empty cluster on the same port and with the same password. */
  replace(): Promise<void>
  stop(): Promise<void>
}

/** The jars, or the reason why there are none. Then the tests that need their own broker are skipped, except under CI. */
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

/** Writes straight to the terminal, because a skipped test must be noticed. */
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
