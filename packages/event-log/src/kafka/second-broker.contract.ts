/** A second broker beside the first one of a test, so that partitions have several leaders and leaders can move. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, startChild, type Child, type KafkaJars } from '@cupel/local-stack'

/** Both brokers use these: groups must outlive either broker. */
export const SHARED_SETTINGS = {
  'offsets.topic.replication.factor': '2',
  'offsets.topic.num.partitions': '1',
}

const STOP_TIMEOUT_MS = 15_000

export interface SecondBroker {
  readonly port: number
  kill(): Promise<void>
  start(): void
}

/** `folder` is a new folder for it, `first` the folder of the running broker. It serves some seconds after its start. */
export async function secondBroker(
  jars: KafkaJars,
  folder: string,
  first: { folder: string; recordFolder: string; controllerPort: number },
): Promise<SecondBroker> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const file = join(folder, 'server.properties')
  const settings = {
    'process.roles': 'broker',
    'node.id': '2',
    'controller.quorum.bootstrap.servers': `127.0.0.1:${first.controllerPort}`,
    listeners: `LOCAL://127.0.0.1:${port}`,
    'advertised.listeners': `LOCAL://127.0.0.1:${port}`,
    ...securityOf(join(first.folder, 'server.properties')),
    'log.dirs': join(folder, 'data'),
    ...SHARED_SETTINGS,
    'log.cleaner.dedupe.buffer.size': '8388608',
    'broker.session.timeout.ms': '2000',
    'broker.heartbeat.interval.ms': '500',
  }
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const clusterId = /^cluster\.id=(.+)$/m.exec(
    readFileSync(join(first.folder, 'data', 'meta.properties'), 'utf8'),
  )![1]!
  const classPath = ['-cp', join(jars.kafkaLibs, '*')]
  const format = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', file]
  execFileSync(jars.java, ['-XX:TieredStopAtLevel=1', ...classPath, ...format], { stdio: 'pipe' })
  let child: Child | null = null
  const broker: SecondBroker = {
    port,
    start() {
      child = startChild({
        name: 'second-kafka',
        command: jars.java,
        args: ['-Xmx256m', '-XX:TieredStopAtLevel=1', ...classPath, 'kafka.Kafka', file],
        logFile: join(folder, 'kafka.log'),
        recordFolder: first.recordFolder,
        stage: 'log',
        stopSignal: 'SIGTERM',
        stopTimeoutMs: STOP_TIMEOUT_MS,
      })
    },
    async kill() {
      if (child === null) return
      process.kill(child.pid, 'SIGKILL')
      await child.exited
      child = null
    },
  }
  broker.start()
  return broker
}

/** Both brokers require the password of the first one, and use it between them. */
function securityOf(file: string): Record<string, string> {
  const named = /^(listener\.|controller\.listener\.|inter\.broker\.|sasl\.)/
  const lines = readFileSync(file, 'utf8').split('\n')
  return Object.fromEntries(
    lines
      .filter((line) => named.test(line))
      .map((line) => [line.split('=', 1)[0]!, line.replace(/^[^=]+=/, '')]),
  )
}
