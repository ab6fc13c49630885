export { registerWatches } from './register.js'
