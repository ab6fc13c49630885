/** Set-up of each test file: a file fails that leaves a port, a connection, a process or a timer behind. A later file shares its process. */
import { relative } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { afterAll, expect } from 'vitest'

/** Integration tests that are not known to leave nothing. This list only becomes shorter. */
const NOT_EXAMINED =
  /^packages\/(?:bench|labels|ledger|local-stack|report-pdf|transparency)\/|^services\/(?:api|cli|scorer)\/|^scripts\//
/** Services that die while they start leave what they have opened, as a dead process does. */
const DYING = /^services\/standalone\/test\/deaths\./
const EXAMINED = /\.(?:unit|int)\.test\./
/** Names of Node for what keeps a process alive. */
const KINDS = { TCPServerWrap: 'port', TCPSocketWrap: 'connection', ProcessWrap: 'process', Timeout: 'timer' }
/** Set by the test kit: what all files of a process share. */
const SHARED = Symbol.for('cupel.test.shared')
/** What was told to end may need a moment. */
const PATIENCE_MS = 20_000
const LOOK_MS = 20

function open() {
  const found = process.getActiveResourcesInfo()
  const shared = globalThis[SHARED]?.() ?? {}
  return Object.entries(KINDS).map(([kind, name]) => ({
    name,
    // A shared connection that is just made or ended is not yet, or no more, an active resource.
    count: Math.max(0, found.filter((one) => one === kind).length - (shared[name] ?? 0)),
  }))
}

const before = open()
const left = () => open().flatMap(({ name, count }, kind) => (count > before[kind].count ? [name] : []))

// Hooks run in the reverse order of their registration, so that this one comes after those of the file.
afterAll(async () => {
  const file = relative(process.cwd(), expect.getState().testPath ?? '')
  if (!EXAMINED.test(file) || DYING.test(file) || (file.includes('.int.') && NOT_EXAMINED.test(file))) return
  const giveUpAt = performance.now() + PATIENCE_MS
  while (left().length > 0 && performance.now() < giveUpAt) await rest(LOOK_MS)
  expect(left(), 'what this file leaves open').toEqual([])
})
