/** A child process that appends to or reads the log under test, until it is done or killed. */
import { once } from 'node:events'
import type { EventLog } from '../port.js'
import { record, type ChildTask } from './records.contract.js'

interface Job {
  readonly module: string
  readonly config: string
  readonly task: ChildTask
}

const job = JSON.parse(process.argv[2] ?? '') as Job
const { openLog } = (await import(job.module)) as { openLog: (config: string) => Promise<EventLog> }
const log = await openLog(job.config)

if (job.task.role === 'append') {
  await appendAll(job.task)
  await log.close()
  process.exit(0)
} else {
  await hangOnFirstBatch(job.task)
}

/** Appends in small calls, several at a time, so that writers of several processes interleave. */
async function appendAll(task: ChildTask & { role: 'append' }): Promise<void> {
  const pending: Promise<unknown>[] = []
  for (let index = 0; index < task.count; index++) {
    const partition = index % task.partitions
    pending.push(log.append('test', [record(task.topic, `${task.producer}-${index}`, { partition })]))
    if (pending.length === 8) await Promise.all(pending.splice(0))
  }
  await Promise.all(pending)
  await say({ appended: task.count })
}

/** Joins a group and never finishes its first batch: the test kills it. */
async function hangOnFirstBatch(task: ChildTask & { role: 'hang' }): Promise<void> {
  await log.subscribe({
    group: task.group,
    topics: [task.topic],
    checkpoint: async () => ({ next: task.readFrom, log: task.log }),
    maxBatchRecords: 10,
    concurrency: 4,
    onStopped: (error) => {
      throw error
    },
    onRetry: () => undefined,
    handle: async (batch) => {
      await say({ handling: batch.partition, from: batch.firstOffset })
      return await new Promise(() => undefined)
    },
  })
}

async function say(message: unknown): Promise<void> {
  if (!process.stdout.write(`${JSON.stringify(message)}\n`)) await once(process.stdout, 'drain')
}
