/** A command in a process that a failpoint can kill: `cupel-process.ts ENVIRONMENT ARGUMENT...`, the environment in JSON. */
import { callCupel } from './command-line.js'

const [environment, ...args] = process.argv.slice(2)
const said = await callCupel(JSON.parse(environment!) as Record<string, string>, args)
if (said.error !== null) throw said.error
