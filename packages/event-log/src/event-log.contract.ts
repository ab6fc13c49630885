/**
 * The guarantees of every log adapter, as one suite of tests. An adapter's test file calls `eventLogContract` with a way to
 * open a log of its kind; nothing in here depends on the kind.
 */
import { describe } from 'vitest'
import { authenticContract } from './contract/authentic.contract.js'
import { appendingContract } from './contract/appending.contract.js'
import { groupContract } from './contract/groups.contract.js'
import { processesContract } from './contract/processes.contract.js'
import { readingContract } from './contract/reading.contract.js'
import { recoveringContract } from './contract/recovering.contract.js'
import { restingContract } from './contract/resting.contract.js'
import { signedContract } from './contract/signed.contract.js'
import { subscribingContract } from './contract/subscribing.contract.js'
import { tailingContract } from './contract/tailing.contract.js'
import type { LogOfProcess, LogUnderTest } from './contract/log-under-test.contract.js'

export type { LogOfProcess, LogUnderTest } from './contract/log-under-test.contract.js'

/** Declares the suite. `start` runs once before it; `release` of the value that `start` resolves to runs once after it. */
export function eventLogContract(name: string, start: () => Promise<LogUnderTest>): void {
  describe(`${name} keeps the contract of the log`, () => {
    processContract(start)
    authenticContract(start)
    processesContract(start)
  })
}

/** The part that a log in the memory of one process can keep: it needs no database and no other process. */
export function logOfProcessContract(name: string, start: () => Promise<LogOfProcess>): void {
  describe(`${name} keeps the contract of the log as far as one process can`, () => processContract(start))
}

function processContract(start: () => Promise<LogOfProcess>): void {
  appendingContract(start)
  readingContract(start)
  signedContract(start)
  tailingContract(start)
  subscribingContract(start)
  recoveringContract(start)
  restingContract(start)
  groupContract(start)
}
