import fc from 'fast-check'
import { expect, test } from 'vitest'
import { avroType } from './avro.js'

const schema = JSON.stringify({
  type: 'record',
  name: 'Report',
  fields: [
    { name: 'before', type: 'string' },
    {
      name: 'lists',
      type: {
        type: 'array',
        items: { type: 'record', name: 'List', fields: [{ name: 'name', type: 'string' }] },
      },
    },
    { name: 'after', type: 'string' },
  ],
})
const type = avroType(schema)
const list = fc.record({ name: fc.string({ maxLength: 40 }) })

interface Report {
  readonly before: string
  readonly lists: readonly { readonly name: string }[]
  readonly after: string
}

const encode = (report: Report): Buffer => {
  const buffer = Buffer.alloc(8_192)
  return buffer.subarray(0, type.encode(report, buffer, 0))
}

test('an array that many records carry gives the bytes it gives in a record of its own', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(list), { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.string(), fc.nat(), fc.string()), { maxLength: 20 }),
      (arrays, reports) => {
        const shared = arrays.map((array) => Object.freeze(array))
        for (const [before, which, after] of reports) {
          const lists = shared[which % shared.length]!
          expect(encode({ before, lists, after })).toEqual(encode({ before, lists: [...lists], after }))
        }
      },
    ),
  )
})

test('an array that may change is written as it is each time', () => {
  const lists = [{ name: 'one' }]
  const report = { before: '', lists, after: '' }
  for (let count = 0; count < 3; count += 1) encode(report)
  lists.push({ name: 'two' })
  expect(type.fromBuffer(encode(report))).toEqual({
    before: '',
    lists: [{ name: 'one' }, { name: 'two' }],
    after: '',
  })
})

test('a buffer too small for a shared array is told as for any other, and remembers nothing cut short', () => {
  const report = { before: 'b', lists: Object.freeze([{ name: 'a list with a name' }]), after: 'a' }
  const whole = encode({ ...report, lists: [...report.lists] })
  for (let count = 0; count < 4; count += 1)
    expect(type.encode(report, Buffer.alloc(5), 0)).toBe(5 - whole.length)
  expect(encode(report)).toEqual(whole)
})

test('an array is written once, not once for each record', () => {
  let reads = 0
  const item = Object.defineProperty({}, 'name', { enumerable: true, get: () => ((reads += 1), 'one') }) as {
    name: string
  }
  const lists = Object.freeze([item])
  for (let count = 0; count < 100; count += 1) encode({ before: '', lists, after: '' })
  expect(reads).toBeLessThan(10)
})
