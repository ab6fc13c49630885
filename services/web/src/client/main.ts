/** What the console does besides in a browser that runs scripts. Every page works without it. */
import { openAllForPrint } from './print.js'

openAllForPrint()
