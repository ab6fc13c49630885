/** Shows which processes of the services run and how scorers keep up, from what they write to the database. */
export { startHeartbeat } from './beat.js'
export { claimantOf, InstanceTakenError } from './claim-instance.js'
export {
  knownDifference,
  listComparedRows,
  tellComparedRows,
  uncomparedOf,
  type ComparedRows,
} from './compared-rows.js'
export { readDwells, sweepDwells, tellDwells, type Dwells, type DwellTelling } from './dwell.js'
export { listProcesses, type ProcessSeen } from './list-processes.js'
export { heartbeatsMigrations } from './migrations.js'
