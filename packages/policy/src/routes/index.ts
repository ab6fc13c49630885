export { getPolicy, readPolicyInForce } from './get-policy.js'
export { type WhatIfParts, createComparison, whatIf } from './what-if.js'
