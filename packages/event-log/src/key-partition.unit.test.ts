import { expect, test } from 'vitest'
import { keyPartition, murmur2 } from './key-partition.js'

test.each([
  // The vectors of Apache Kafka's own UtilsTest.
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
])('%s hashes as Kafka hashes it', (text, hash) => {
  expect(murmur2(Buffer.from(text))).toBe(hash)
})

test('a key has one partition within range', () => {
  for (const key of ['', 'a', 'ß', '9f2c4a1be07d6358', '0x098B716B8Aaf21512996dC57EB0615e2383E2f96']) {
    const partition = keyPartition(key, 16)
    expect(partition).toBeGreaterThanOrEqual(0)
    expect(partition).toBeLessThan(16)
    expect(keyPartition(key, 16)).toBe(partition)
  }
})
