/** Shows which processes of the services run, from the heartbeats that they write to the database. */
export { startHeartbeat, type Heartbeat, type HeartbeatOptions } from './beat.js'
export { claimantOf, InstanceTakenError, MAX_INSTANCE, type Claimant } from './claim-instance.js'
export { listProcesses, type ProcessSeen } from './list-processes.js'
export { heartbeatsMigrations } from './migrations.js'
