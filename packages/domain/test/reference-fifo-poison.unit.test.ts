/** Product and reference agree by FIFO and poison on generated neighbourhoods, over every number of hops. */
import { assertWithin } from '@cupel/testkit'
import { test } from 'vitest'
import { agreement, CASES, expectVariety } from './exposure-agreement.js'

test.each(['fifo', 'poison'] as const)(
  'the reference agrees on neighbourhoods by %s, to the hundredth',
  { timeout: 1_800_000 },
  async (method) => {
    const drawn = agreement([method])
    const suite = { name: `exposure by ${method}`, full: CASES / 4, minimum: 500, demanded: CASES / 4 }
    const { cases } = await assertWithin(suite, drawn.property)
    expectVariety(drawn, cases)
  },
)
