// Tests that frozen files of a release stay unchanged: every later release reads logs and databases of that release.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { frozenPaths, readReleases, refusalOf, sha256Of } from '../release.mjs'
import { readTable } from '../scorers.mjs'
import { root } from '../setup.mjs'

test('a release freezes golden samples and migrations', () => {
  expect(frozenPaths()).toEqual(
    expect.arrayContaining([
      'packages/event-log/sql/0001-log.sql',
      'packages/ledger/src/sql/0001-ledger.sql',
      'packages/gate/src/access/sql/0001-access.sql',
      'packages/bulk/src/worker/sql/0001-bulk.sql',
      'schemas/golden/ReportGenerated/1.bin',
    ]),
  )
})

test('a release with an image without a digest, or of other files than those of the checkout, is not named', () => {
  const image = (digest) => () => `image: some.host/a/b:v1.2.3${digest}`
  const pinned = image(`@sha256:${'a'.repeat(64)}`)
  expect(refusalOf('99.0.0', { '99.0.0': {} }, image(''), true)).toContain('no digest: some.host/a/b:v1.2.3.')
  expect(refusalOf('99.0.0', { '99.0.0': {} }, pinned, true)).toBeNull()
  expect(refusalOf('99.0.0', { '99.0.0': {} }, pinned, false)).toContain('not those of the commit')
  expect(refusalOf('99.0.0', {}, pinned, true)).toContain('There is no release 99.0.0')
})

const releases = Object.entries(readReleases())

test.each(releases)(
  'the golden samples and migrations of release %s are unchanged',
  (_version, { files }) => {
    expect(Object.keys(files).length).toBeGreaterThan(0)
    const changed = Object.entries(files).filter(
      ([path, sha256]) => !existsSync(join(root, path)) || sha256Of(path) !== sha256,
    )
    expect(changed.map(([path]) => path)).toEqual([])
  },
)

test.each(releases)(
  'the scorer of release %s is still here, released and unchanged',
  (_version, { scorer }) => {
    expect(readTable().versions[scorer.version]).toMatchObject({ released: true, sha256: scorer.sha256 })
  },
)

test.each(releases.filter(([, { commit }]) => commit !== null))(
  'the commit of release %s is that release, where the history is here',
  (version, { commit }) => {
    const shown = spawnSync('git', ['show', `${commit}:releases.json`], { cwd: root, encoding: 'utf8' })
    // A download without history, or with only a part of it, cannot check this.
    if (shown.status === 0) expect(JSON.parse(shown.stdout)[version]).toMatchObject({ commit: null })
  },
)
