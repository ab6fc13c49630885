export { registerKeys } from './register.js'
