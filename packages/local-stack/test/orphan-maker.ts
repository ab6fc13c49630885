/** A supervisor that starts Postgres on the folder it is given and then waits to be killed. */
import { join } from 'node:path'
import { startPostgres } from '../src/postgres.js'

const folder = process.argv[2]!
const postgres = await startPostgres({
  folder: join(folder, 'postgres'),
  logFile: join(folder, 'postgres.log'),
  recordFolder: join(folder, 'processes'),
})
process.send!({ pid: postgres.child.pid })
setInterval(() => undefined, 60_000)
