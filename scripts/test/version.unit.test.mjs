import { expect, test } from 'vitest'
import { readReleases } from '../release.mjs'
import { productVersion, pythonVersion, versionAfter, versionFiles } from '../version.mjs'

test('unreleased code calls itself by no release', () => {
  const [last] = Object.entries(readReleases()).slice(-1)
  // Only the commit of a release itself has its version: the next commit names it.
  const isRelease = last !== undefined && last[1].commit === null
  if (isRelease) expect(productVersion()).toBe(last[0])
  else expect(productVersion()).toMatch(/^\d+\.\d+\.\d+-dev$/)
})

test('the version after a release is the next one, marked as unreleased', () => {
  expect(['0.2.0', '0.2.3', '1.9.0'].map(versionAfter)).toEqual(['0.3.0-dev', '0.3.0-dev', '1.10.0-dev'])
  expect(pythonVersion('0.3.0-dev')).toBe('0.3.0.dev0')
  expect(pythonVersion('0.3.0')).toBe('0.3.0')
})

test('every place shows a new version, and the chart shows it twice', () => {
  const files = versionFiles('7.8.9-dev')
  for (const [name, text] of Object.entries(files))
    expect(text, name).toContain(name.endsWith('.py') ? '7.8.9.dev0' : '7.8.9-dev')
  expect(files['deploy/helm/cupel/Chart.yaml'].match(/7\.8\.9-dev/g)).toHaveLength(2)
  for (const [name, text] of Object.entries(files)) expect(text, name).not.toContain(productVersion())
})
