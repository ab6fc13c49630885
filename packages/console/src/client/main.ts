/** The extras of the console for browsers that run scripts. Every page works without them. */
import { offerCopies } from './copy.js'
import { detectChains } from './detect-chain.js'
import { takeDroppedFiles } from './drop-file.js'
import { followHistory } from './follow-history.js'
import { followJobs } from './follow-job.js'
import { openTargets } from './open-target.js'
import { sendListsInParts } from './send-list.js'
import { openAllForPrint } from './print.js'

openAllForPrint()
detectChains()
takeDroppedFiles()
followJobs()
followHistory()
offerCopies()
openTargets()
sendListsInParts()
