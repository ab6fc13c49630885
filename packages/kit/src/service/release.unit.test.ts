import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RELEASE } from './release.js'

test('processes tell the release that package.json has', () => {
  const product = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')
  expect(RELEASE).toBe((JSON.parse(product) as { version: string }).version)
})
