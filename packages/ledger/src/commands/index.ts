export { registerLedger } from './ledger/register.js'
export { registerPrices } from './prices/register.js'
