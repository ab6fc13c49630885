import { expect, test } from 'vitest'
import { nearestIn } from './nearest-name.js'

const nearest = nearestIn(['page_size', 'page_token', 'level', 'chain'])

test('a name of another API, another case or a slip is understood', () => {
  expect(nearest('limit')).toBe('page_size')
  expect(nearest('cursor')).toBe('page_token')
  expect(nearest('pageSize')).toBe('page_size')
  expect(nearest('page-size')).toBe('page_size')
  expect(nearest('levl')).toBe('level')
  expect(nearest('network')).toBe('chain')
})

test('nothing is suggested for a name that is far from all, or if the endpoint lacks the meant one', () => {
  expect(nearest('colour')).toBeNull()
  expect(nearest('')).toBeNull()
  expect(nearest('x'.repeat(10_000))).toBeNull()
  expect(nearestIn([])('limit')).toBeNull()
  expect(nearestIn(['level'])('limit')).toBeNull()
})
