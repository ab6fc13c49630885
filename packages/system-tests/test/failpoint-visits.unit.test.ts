import { failpointNames } from '@cupel/kit/failpoints'
import { expect, test } from 'vitest'
import { atFirstStart, byCommand, elsewhere, underLoad, whenLate } from '../src/failpoint-visits.js'
import { pointsByFault } from '../src/fired-points.js'

test('every failpoint is visited by some test', () => {
  const visited = new Set<string>([
    ...Object.keys(underLoad),
    ...Object.keys(byCommand),
    ...atFirstStart,
    ...whenLate,
    ...pointsByFault,
    ...elsewhere,
  ])
  expect(failpointNames.filter((name) => !visited.has(name))).toEqual([])
})
