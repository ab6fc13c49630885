/** Set-up of tests in CI: properties that name no seed of their own draw the cases of the run's seed (budget.ts). */
import fc from 'fast-check'
import { runSeed } from './budget.js'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: runSeed() })
