/** The product and the second reckoning agree on generated neighbourhoods, over every number of hops: the other half. */
import { test } from 'vitest'
import { CASES, expectAgreement } from './exposure-agreement.js'

test.each(['fifo', 'poison'] as const)(
  `the second reckoning agrees over ${CASES / 4} neighbourhoods by %s, to the hundredth`,
  { timeout: 600_000 },
  (method) => expectAgreement([method], CASES / 4),
)
