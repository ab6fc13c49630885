/** Runs all conformance cases with the installed package, on any runtime. Prints one line of JSON. */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import type { ConformanceCase } from '@cupel/sdk-conformance'
import * as sdk from '@cupel/sdk'
import { runCase, type Where } from './run-case.js'

const { where, cases } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as {
  where: Where
  cases: ConformanceCase[]
}
const faults: string[] = []
for (const one of cases)
  for (const fault of await runCase(sdk, where, one)) faults.push(`${one.name}: ${fault}`)
// An open connection must not keep the program alive.
process.stdout.write(`${JSON.stringify({ ran: cases.length, faults })}\n`, () => process.exit(0))
