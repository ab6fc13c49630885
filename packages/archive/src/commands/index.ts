export { registerArchive } from './archive/register.js'
export { monthBefore } from './retention/plan.js'
export { registerRetention } from './retention/register.js'
