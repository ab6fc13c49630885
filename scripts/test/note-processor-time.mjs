/** Set-up of each test file: notes the processor time that it took, with its children, when all of its tests and hooks have ended. */
import { appendFileSync } from 'node:fs'
import { afterAll, expect } from 'vitest'
import { childrenMs, ownMs } from './processor-time.mjs'

const NOTES = 'CUPEL_TEST_PROCESSOR_NOTES'
/** Files may share their process: each takes what was spent since the one before it, and the first also the start of the process. */
const COUNTED = Symbol.for('cupel.test.processor.counted')

// Hooks run in the reverse order of their registration, so that this one comes last.
afterAll(() => {
  const notes = process.env[NOTES]
  if (notes === undefined) return
  const now = { own: ownMs(), children: childrenMs() }
  const before = globalThis[COUNTED] ?? { own: 0, children: 0 }
  globalThis[COUNTED] = now
  const note = {
    file: expect.getState().testPath,
    ownMs: now.own - before.own,
    childrenMs: now.children - before.children,
  }
  appendFileSync(notes, `${JSON.stringify(note)}\n`)
})
