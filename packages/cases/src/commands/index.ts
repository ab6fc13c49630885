export { registerCases } from './register.js'
