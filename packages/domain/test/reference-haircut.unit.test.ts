/** Product and reference agree by haircut on generated neighbourhoods, over every number of hops; these are half of the cases. */
import { assertWithin } from '@cupel/testkit'
import { test } from 'vitest'
import { agreement, CASES, expectVariety } from './exposure-agreement.js'

test(
  'the reference agrees on neighbourhoods by haircut, to the hundredth',
  { timeout: 1_800_000 },
  async () => {
    const drawn = agreement(['haircut'])
    const suite = { name: 'exposure by haircut', full: CASES / 2, minimum: 500, demanded: CASES / 2 }
    const { cases } = await assertWithin(suite, drawn.property)
    expectVariety(drawn, cases)
  },
)
