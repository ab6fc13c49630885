/** All attacks. Attacks of one concern share a file; leaving the file out leaves them out. */
import type { Attack } from './attack.js'
import { alteredRows } from './altered-rows.js'
import { backlogs } from './backlogs.js'
import { caseFiles } from './case-files.js'
import { consoleAttacks } from './console.js'
import { databaseRole } from './database-role.js'
import { deployments } from './deployments.js'
import { doors } from './doors.js'
import { exposure } from './exposure.js'
import { files } from './files.js'
import { forgedRecords } from './forged-records.js'
import { forgery } from './forgery.js'
import { fullDisk } from './full-disk.js'
import { headers } from './headers.js'
import { histories } from './histories.js'
import { identity } from './identity.js'
import { largeAnswers } from './large-answers.js'
import { neighbours } from './neighbours.js'
import { nothingToProve } from './nothing-to-prove.js'
import { people } from './people.js'
import { providers } from './providers.js'
import { sentLists } from './sent-lists.js'
import { shorterLog } from './shorter-log.js'
import { strangers } from './strangers.js'
import { supplyChain } from './supply-chain.js'
import { terminal } from './terminal.js'
import { texts } from './texts.js'
import { webhooks } from './webhooks.js'

export { attackTable, type Attack, type AttackRow } from './attack.js'
export { places, whyNotAt, type PlaceName, type TargetKind } from './places.js'
export { createAbuser } from './abuses.js'
export { proxies, proxyNames, type ProxyName } from './proxies.js'
export { startAttacked, victimClient, type AttackedInstallation, type Target } from './target.js'

export const attacks: readonly Attack[] = [
  ...[
    ...strangers,
    ...consoleAttacks,
    ...backlogs,
    ...largeAnswers,
    ...webhooks,
    ...terminal,
    ...supplyChain,
    ...nothingToProve,
  ],
  ...[
    ...files,
    ...caseFiles,
    ...identity,
    ...doors,
    ...sentLists,
    ...headers,
    ...exposure,
    ...texts,
    ...databaseRole,
    ...neighbours,
    ...forgery,
    ...forgedRecords,
    // From here on an attack restarts the installation.
    ...deployments,
    ...alteredRows,
    ...people,
    ...providers,
    ...histories,
    ...shorterLog,
    ...fullDisk,
  ],
]
