/** What the console does besides in a browser that runs scripts. Every page works without it. */
import { detectChains } from './detect-chain.js'
import { openAllForPrint } from './print.js'

openAllForPrint()
detectChains()
