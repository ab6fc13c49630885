/** The policy in force, and the effects of another one. */
import type { Page } from '@cupel/console'
import { proposePolicy } from './proposed-policy.js'
import { showPolicy } from './show-policy.js'
import { tryPolicy } from './try-policy.js'

export { policyPanel } from './proposed-policy.js'
export const policyPages: readonly Page[] = [showPolicy, tryPolicy, proposePolicy]
