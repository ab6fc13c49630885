/** Set-up of tests in CI: properties without their own seed use the seed of the run (budget.ts). */
import fc from 'fast-check'
import { runSeed } from './budget.js'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: runSeed() })
