import { expect, test } from 'vitest'
import { costlyGets, readsOf } from './costly-gets.js'

const query = (name: string, schema: object) => ({ in: 'query', name, schema })
const description = {
  paths: {
    '/v1/jobs/{job_id}': {
      get: {
        parameters: [
          { in: 'path', name: 'job_id', schema: {} },
          query('page_size', { maximum: 200 }),
          query('page_token', {}),
          query('level', { enum: ['red', 'grey'] }),
          query('reference', {}),
        ],
        responses: { '401': {}, '200': { content: { 'application/json': {}, 'text/csv': {} } } },
      },
    },
    '/v1/screen': {},
  },
}

test('every read is walked, with its largest page, each media type and each value of each filter', () => {
  const reads = readsOf(description, { job_id: 'job_1', reference: 'customer 1' })
  const paths = ['', '&level=red', '&level=grey', '&reference=customer%201'].map(
    (filter) => `/v1/jobs/job_1?page_size=200${filter}`,
  )
  expect(reads).toEqual(
    ['application/json', 'text/csv'].flatMap((accept) => paths.map((path) => ({ path, accept }))),
  )
})

test('the costly ones are those whose median is over the limit beyond the floor, the most expensive first', async () => {
  const reads = ['/fast', '/slow', '/slower'].map((path) => ({ path, accept: 'application/json' }))
  const costs = new Map([
    ['/slow', 8],
    ['/slower', 16],
  ])
  let clock = 0
  const call = (read: { readonly path: string }): Promise<void> => {
    clock += costs.get(read.path) ?? 1
    return Promise.resolve()
  }
  const found = await costlyGets(reads, call, () => Promise.resolve(clock))
  expect(found.map(({ path, medianMs }) => [path, medianMs])).toEqual([
    ['/slower', 16],
    ['/slow', 8],
  ])
})
