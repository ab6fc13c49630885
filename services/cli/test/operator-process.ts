/** An operator's command in a process that a failpoint can kill: `operator-process.ts restore|adopt DATABASE LOG HOME`. */
import { checkpointSettings } from '@cupel/checkpoints'
import { loadConfig } from '@cupel/service-kit'
import { adoptOpened, embeddedLog, restoreOpened, withOpened } from './opened.js'

const [command, database, log, home] = process.argv.slice(2)
const checkpoints = checkpointSettings({ ...loadConfig({ CUPEL_HOME: home! }), CUPEL_HOME: home! })
await withOpened(
  database!,
  () => embeddedLog(log!),
  async (parts) => {
    if (command === 'adopt') await adoptOpened(parts, checkpoints!)
    else await restoreOpened(parts, checkpoints)
  },
)
