export { forgetReference, forgetTables } from './forget-tables.js'
export { registerAccounts } from './register.js'
