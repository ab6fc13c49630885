export { startProjector } from './start-projector.js'
export type { ProjectorDeps, RunningProjector } from './start-projector.js'
