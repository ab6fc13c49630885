export { registerChainData } from './register.js'
