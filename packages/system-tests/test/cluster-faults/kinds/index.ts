/** Every kind of fault. */
import type { FaultKind } from '../fault.js'
import { certificates } from './certificates.js'
import { credentials } from './credentials.js'
import { cutOffs } from './cut-off.js'
import { freezes } from './freeze.js'
import { fullDisks } from './full-disk.js'
import { kills } from './kill.js'
import { moves } from './move.js'

export const faultKinds: readonly FaultKind[] = [
  ...kills,
  ...freezes,
  ...cutOffs,
  ...fullDisks,
  ...moves,
  ...certificates,
  ...credentials,
]
