export { registerDemo } from './demo/register.js'
export { registerLabels } from './labels/register.js'
export { sanctionsListHint } from './labels/sanctions-list-hint.js'
export { listState } from './labels/sources.js'
