/** Follows or rebuilds the label view in a separate process, so that a failpoint can kill it. */
import { noMetrics, silentLogger } from '@cupel/contracts'
import { createEventCodec, loadSchemaCatalog } from '@cupel/event-log'
import { openDatabase } from '@cupel/postgres'
import { rebuildReadModel, runReadModel } from '@cupel/projections'
import { openTestLog } from '@cupel/testkit/installation'
import { labelView } from '../src/index.js'

const [task, connectionString] = process.argv.slice(2) as ['follow' | 'rebuild', string]
const database = openDatabase({ connectionString, maxConnections: 6, applicationName: 'child' })
const log = await openTestLog(database)
const codec = createEventCodec(await loadSchemaCatalog(database))
const parts = { readModel: labelView, log, codec, database, logger: silentLogger }
if (task === 'rebuild') {
  await rebuildReadModel(parts)
  await log.close()
  await database.close()
} else {
  // One record at a time, so that a kill can hit more than one batch.
  runReadModel({ ...parts, readModel: { ...labelView, maxBatchRecords: 1 }, metrics: noMetrics })
}
