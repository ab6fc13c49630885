export { registerReport } from './register.js'
