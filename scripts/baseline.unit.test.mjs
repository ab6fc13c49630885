import { expect, test } from 'vitest'
import { baseline } from './baseline.mjs'

test.each(['darwin-arm64', 'linux-arm64', 'win32-x64'])(
  'the stored build does not begin on %s',
  async (platform) => {
    await expect(baseline(platform)).rejects.toThrow(`this is ${platform}: guard needs linux-x64`)
  },
)
