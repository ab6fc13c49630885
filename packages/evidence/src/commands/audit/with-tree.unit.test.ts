import { expect, test } from 'vitest'
import type { Verified } from './verified.js'
import { withTree } from './with-tree.js'

const result = {
  ...{ warnings: [], problems: [], problemCount: 0, signatures: { keys: [] } },
} as unknown as Omit<Verified, 'leaves'>

test('a transparency log that an earlier run compared must be there, whatever keys the log names', () => {
  for (const leaves of [null, { folder: 'tree', comparison: null, acceptances: [] }]) {
    expect(withTree(result, leaves, 0)).toMatchObject({ problemCount: 0 })
    expect(withTree(result, leaves, 5)).toMatchObject({
      problemCount: 1,
      problems: [{ detail: expect.stringContaining('A tree of 5 leaves was verified before') as string }],
    })
  }
})
