/** A process of the benchmark. Its first message names its role; a load generator runs one phase for each further message. */
import type { LoadTarget, Order } from './children.js'
import { floorClient, floorTopics, startEcho } from './floor.js'
import { httpClient } from './http-client.js'
import { runPhase, type Client, type LoadPhase } from './load.js'
import { openLog, type LogConnection } from './log-connection.js'

async function serve(order: Order): Promise<void> {
  if (order.role === 'echo') await startEcho(await logOf(order.log, 'bench-echo'))
  else serveLoad(await openClient(order.target))
  process.send!('ready')
}

function serveLoad(send: Client): void {
  let sent = 0
  process.on('message', (phase: LoadPhase) => {
    runPhase(phase, send, sent)
      .then((result) => {
        sent += result.requests
        process.send!(result)
      })
      .catch(fail)
  })
}

async function openClient(target: LoadTarget): Promise<Client> {
  if (target.kind === 'http') return httpClient(target)
  const log = await logOf(target.log, 'bench-floor')
  if (target.echoInside) await startEcho(log)
  return await floorClient(log)
}

async function logOf(connection: LogConnection, clientId: string): Promise<ReturnType<typeof openLog>> {
  const log = openLog(connection, clientId)
  await log.ensureTopics(floorTopics)
  return log
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}

process.once('message', (order: Order) => void serve(order).catch(fail))
// The parent process ended.
process.once('disconnect', () => process.exit(0))
