/** Shows which processes of the services run and how scorers keep up, from what they write to the database. */
export { startHeartbeat, type Heartbeat, type HeartbeatOptions } from './beat.js'
export { claimantOf, InstanceTakenError, MAX_INSTANCE, type Claimant } from './claim-instance.js'
export {
  readDwells,
  sweepDwells,
  tellDwells,
  type Dwells,
  type DwellReading,
  type DwellTelling,
} from './dwell.js'
export { listProcesses, type ProcessSeen } from './list-processes.js'
export { heartbeatsMigrations } from './migrations.js'
