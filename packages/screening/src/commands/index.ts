export { registerScreen } from './screen/register.js'
export { registerTransfers } from './transfers/register.js'
