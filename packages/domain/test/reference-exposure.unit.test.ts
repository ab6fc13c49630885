/** The product and the second reckoning agree on generated neighbourhoods, by every method and over every number of hops. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scoreExposure, type LabelFacts, type Transfer } from '../src/index.js'
import { addressOf, measured, neighbourhood, policyWith, wholeHistory } from './exposure-builders.js'
import { label, ofacLabel, ofacSet } from './judgement-builders.js'
import { referenceExposure, type ReferenceSource } from './reference-exposure.js'

const nodes = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const addresses: Readonly<Record<string, string>> = Object.fromEntries(
  nodes.map((node, index) => [node, addressOf(index + 10)]),
)
const nodeOf = Object.fromEntries(Object.entries(addresses).map(([node, address]) => [address, node]))
const START_S = 1_700_000_000
const DESIGNATED_AT = 3
const CASES = Number(process.env['CUPEL_REFERENCE_CASES'] ?? 10_000)

const node = fc.constantFrom(...nodes)
/** Most transfers are where a path is: from sources over others to the screened address, and back. */
const ends = fc.oneof(
  fc.tuple(fc.constantFrom('e', 'f', 'b'), fc.constantFrom('b', 'c', 'd')),
  fc.tuple(fc.constantFrom('b', 'c', 'd'), fc.constantFrom('a', 'a', 'c')),
  fc.tuple(node, node),
)
const drawnCase = fc.record({
  transfers: fc.array(
    fc
      .record({
        ends,
        turned: fc.boolean(),
        amount: fc.integer({ min: 1, max: 40 }),
        time: fc.nat(6),
        proven: fc.boolean(),
      })
      .map(({ ends: [from, to], turned, ...rest }) => ({
        from: turned ? to : from,
        to: turned ? from : to,
        ...rest,
      })),
    { minLength: 3, maxLength: 14 },
  ),
  sources: fc.tuple(fc.constantFrom('e', 'f'), fc.constantFrom('b', 'c', 'd', 'e', 'f')).chain((names) =>
    fc.record(
      Object.fromEntries(
        names.map((name) => [
          name,
          fc.array(
            fc.record({
              category: fc.constantFrom('sanctions', 'scam', 'stolen', 'mixer', 'darknet'),
              ppm: fc.constantFrom(300_000, 499_999, 500_000, 777_777, 1_000_000),
              dated: fc.boolean(),
            }),
            { minLength: 1, maxLength: 2 },
          ),
        ]),
      ),
    ),
  ),
  followed: fc.subarray(['b', 'c', 'd', 'e', 'f'], { minLength: 2 }),
  hops: fc.integer({ min: 1, max: 4 }),
  method: fc.constantFrom('haircut' as const, 'haircut' as const, 'fifo' as const, 'poison' as const),
  totalComplete: fc.boolean(),
  dust: fc.integer({ min: 1, max: 20 }),
})

type Drawn = typeof drawnCase extends fc.Arbitrary<infer Value> ? Value : never

function byProduct(drawn: Drawn, transfers: readonly Transfer[], sources: Record<string, ReferenceSource[]>) {
  const labels: Record<string, LabelFacts[]> = {}
  for (const [name, list] of Object.entries(sources))
    labels[addresses[name]!] = list.map(({ category, ppm, designatedAt }) => {
      const validFrom =
        designatedAt === null ? null : new Date((START_S + designatedAt) * 1_000).toISOString()
      const isDesignation = category === 'sanctions' && ppm === 1_000_000
      return (isDesignation ? ofacLabel : label)({ category, confidencePpm: ppm, validFrom })
    })
  const policy = policyWith({ hops: drawn.hops, method: drawn.method })
  const around = neighbourhood(transfers, {
    address: addresses['a']!,
    followed: drawn.followed.map((name) => addresses[name]!),
    ranges: drawn.totalComplete ? wholeHistory : [],
  })
  const { measures } = measured(around, labels, { policy, labelSets: [ofacSet()] })
  const inDust = measures.map((one) => ({ ...one, dust: String(drawn.dust) }))
  const scored = scoreExposure(inDust, { policy, isCleanService: false })
  return new Map(
    inDust.map((one, index) => [
      `${one.category} ${one.relation} ${one.direction} ${one.isWeak} ${one.preDesignation === true}`,
      {
        amount: BigInt(one.amount),
        provenAmount: BigInt(one.provenAmount),
        total: BigInt(one.total),
        confidencePpm: one.confidencePpm,
        hundredths: scored[index]!.hundredths,
      },
    ]),
  )
}

test(
  `the second reckoning agrees over ${CASES} neighbourhoods, to the hundredth`,
  { timeout: 60_000 + 20 * CASES },
  () => {
    let exposed = 0
    let indirect = 0
    fc.assert(
      fc.property(drawnCase, (drawn) => {
        const transfers = drawn.transfers
          .filter(({ from, to }) => from !== to)
          .map(({ from, to, amount, time, proven }, index): Transfer => ({
            id: String(index).padStart(4, '0'),
            txHash: '',
            kind: 'native',
            contract: '',
            from: addresses[from]!,
            to: addresses[to]!,
            amount: BigInt(amount),
            blockNumber: 5,
            occurredAtS: START_S + time,
            position: null,
            proven,
          }))
        const sources = Object.fromEntries(
          Object.entries(drawn.sources).map(([name, list]) => [
            name,
            [...new Map(list.map((one) => [one.category, one])).values()].map(
              ({ category, ppm, dated }): ReferenceSource => ({
                category,
                ppm,
                designatedAt: dated ? DESIGNATED_AT : null,
              }),
            ),
          ]),
        )
        const expected = referenceExposure({
          screened: 'a',
          transfers: transfers.map((one) => ({
            ...one,
            from: nodeOf[one.from]!,
            to: nodeOf[one.to]!,
            time: one.occurredAtS! - START_S,
          })),
          sources,
          // Services end a path, whoever would follow it.
          followed: drawn.followed,
          hops: drawn.hops,
          method: drawn.method,
          totalComplete: drawn.totalComplete,
          dust: BigInt(drawn.dust),
          weights: { sanctions: 1, darknet: 0.95, stolen: 0.95, scam: 0.9, mixer: 0.85 },
        })
        const found = byProduct(drawn, transfers, sources)
        expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
        if (found.size > 0) exposed += 1
        if ([...found.keys()].some((key) => key.includes('indirect'))) indirect += 1
      }),
      { numRuns: CASES },
    )
    // Cases in which nothing is found agree without showing anything.
    expect(exposed).toBeGreaterThan(CASES / 4)
    expect(indirect).toBeGreaterThan(CASES / 20)
  },
)
