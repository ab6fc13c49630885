/** The product and the second reckoning agree on generated neighbourhoods, over every number of hops: half of the cases. */
import { test } from 'vitest'
import { CASES, expectAgreement } from './exposure-agreement.js'

test(
  `the second reckoning agrees over ${CASES / 2} neighbourhoods by haircut, to the hundredth`,
  { timeout: 600_000 },
  () => expectAgreement(['haircut'], CASES / 2),
)
