export { startProjector } from './start-projector.js'
