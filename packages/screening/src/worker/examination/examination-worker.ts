/** A thread that examines addresses, with connections of its own, until it is told to close. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { openDatabase } from '@cupel/postgres'
import { createExaminer, type ExaminationOrder } from './examiner.js'
import type { FromThread, ThreadData, ToThread } from './examination-messages.js'

/** Three examinations, each with the reading of labels beside it. */
const MAX_CONNECTIONS = 4

serve(parentPort!, workerData as ThreadData)

function serve(port: MessagePort, { connection }: ThreadData): void {
  const database = openDatabase({ ...connection, maxConnections: MAX_CONNECTIONS })
  const examiner = createExaminer(database)
  const tell = (message: FromThread): void => port.postMessage(message)
  let labelSets: ExaminationOrder['labelSets'] = []
  port.on('message', (message: ToThread) => {
    if (message.kind === 'close') return void database.close().finally(() => port.close())
    const { kind, id, order } = message
    labelSets = order.labelSets ?? labelSets
    examiner[kind]({ ...order, labelSets }).then(
      (examined) => tell({ kind: 'examined', id, examined }),
      (error: unknown) => {
        const { name, message: text } = error instanceof Error ? error : new Error(String(error))
        tell({ kind: 'fault', id, name, message: text })
      },
    )
  })
  tell({ kind: 'ready' })
}
