/** What the console does besides in a browser that runs scripts. Every page works without it. */
import { detectChains } from './detect-chain.js'
import { takeDroppedFiles } from './drop-file.js'
import { followJobs } from './follow-job.js'
import { openAllForPrint } from './print.js'

openAllForPrint()
detectChains()
takeDroppedFiles()
followJobs()
