/** Refreshes one list in a separate process, which a failpoint may kill: `refresh-child.ts CONNECTION PLAN`. */
import { parseRefreshPlan, refreshDue } from '../../src/index.js'
import { openChildDeps } from '../child-deps.js'

const [connectionString, plan] = process.argv.slice(2)
const { deps, close } = await openChildDeps(connectionString!)
await refreshDue(
  { ...deps, lists: parseRefreshPlan(plan!) },
  { signal: new AbortController().signal, force: true },
)
await close()
