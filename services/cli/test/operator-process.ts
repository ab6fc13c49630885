/** An operator's command in a process that a failpoint can kill: `operator-process.ts restore|adopt DATABASE LOG HOME`. */
import { evidenceSettings } from '@cupel/evidence/transparency'
import { loadConfig } from '@cupel/kit/service'
import { adoptOpened, embeddedLog, restoreOpened, withOpened } from './opened.js'

const [command, database, log, home] = process.argv.slice(2)
const evidence = evidenceSettings(
  { ...loadConfig({ CUPEL_HOME: home! }), CUPEL_HOME: home! },
  () => undefined,
)
await withOpened(
  database!,
  () => embeddedLog(log!),
  async (parts) => {
    if (command === 'adopt') await adoptOpened(parts, evidence!)
    else await restoreOpened(parts, evidence)
  },
)
