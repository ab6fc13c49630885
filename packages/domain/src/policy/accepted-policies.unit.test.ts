/** Whatever an accepted policy says, who dealt directly with a designated party is not below orange. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  addressOf,
  ETHER,
  measured,
  neighbourhood,
  transfer,
  wholeHistory,
} from '../../test/exposure-builders.js'
import { ADDRESS, ofacLabel, ofacSet } from '../../test/judgement-builders.js'
import {
  compilePolicy,
  defaultPolicy,
  policyFault,
  scoreExposure,
  type PolicyDocument,
} from '../scorer/index.js'
import { lintPolicy } from './lint-policy.js'

const DESIGNATED = addressOf(1)
const STRANGER = addressOf(2)
/** Ether, some 25 dollars of it. */
const DUST = ETHER / 100n

/** The path of every number of the judgement of money, and of what its score is compared with. */
function numbersOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value === 'number') return [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => numbersOf(inner, [...path, name]))
}
const { levels, weights, roles, ownership, green, exposure, cluster } = defaultPolicy
const paths = numbersOf({ levels, weights, roles, ownership, green, exposure, cluster })
/** Those that decide what becomes of direct dealings are drawn more often. */
const nearPaths = paths.filter((path) => /levels|sanctions|unproven/.test(path.join('.')))

const values = fc.oneof(
  fc.constantFrom(
    0,
    0.000001,
    0.01,
    0.1,
    0.25,
    0.26,
    0.5,
    0.7,
    0.75,
    0.9,
    1,
    2,
    3,
    5,
    12,
    24.99,
    25,
    25.01,
    26,
    99,
  ),
  fc.constantFrom(100, 101, 1_000, 5_000),
  fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100),
  fc.integer({ min: 0, max: 1_000 }).map((thousandths) => thousandths / 1_000),
)

function withNumbers(changes: readonly (readonly [readonly string[], number])[]): PolicyDocument {
  const copy = structuredClone(defaultPolicy)
  for (const [path, value] of changes) {
    let holder = copy as unknown as Record<string, unknown>
    for (const name of path.slice(0, -1)) holder = holder[name] as Record<string, unknown>
    holder[path.at(-1)!] = value
  }
  return copy
}

const deals = fc.record({
  isIncoming: fc.boolean(),
  amount: fc.bigInt({ min: 1n, max: 1_000n * ETHER }),
  others: fc.bigInt({ min: 0n, max: 1_000_000n * ETHER }),
  proven: fc.boolean(),
  isWhole: fc.boolean(),
  isCleanService: fc.boolean(),
})

test('no accepted policy takes direct dealings with a designated party below orange', () => {
  let accepted = 0
  const changes = fc.array(
    fc.tuple(fc.oneof(fc.constantFrom(...paths), fc.constantFrom(...nearPaths)), values),
    { minLength: 1, maxLength: 3 },
  )
  fc.assert(
    fc.property(
      changes,
      deals,
      (changed, { isIncoming, amount, others, proven, isWhole, isCleanService }) => {
        const document = withNumbers(changed)
        if (policyFault(document) !== null) return
        if (lintPolicy(document).some(({ severity }) => severity === 'error')) return
        if (isIncoming && amount < DUST) return
        accepted += 1
        const policy = compilePolicy(document)
        const way = isIncoming ? { from: DESIGNATED, to: ADDRESS } : { from: ADDRESS, to: DESIGNATED }
        const rest = isIncoming ? { from: STRANGER, to: ADDRESS } : { from: ADDRESS, to: STRANGER }
        const record = measured(
          neighbourhood([transfer({ ...way, amount, proven }), transfer({ ...rest, amount: others })], {
            ranges: isWhole ? wholeHistory : [],
          }),
          { [DESIGNATED]: [ofacLabel({ address: DESIGNATED })] },
          { policy, labelSets: [ofacSet()] },
        )
        const scored = scoreExposure(record.measures, { policy, isCleanService })
        const most = Math.max(0, ...scored.map(({ contribution }) => contribution))
        expect(most).toBeGreaterThanOrEqual(policy.orangeHundredths)
      },
    ),
    { numRuns: 3_000 },
  )
  expect(accepted).toBeGreaterThan(300)
})
