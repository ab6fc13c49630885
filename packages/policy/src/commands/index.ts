export { registerPolicy } from './register.js'
