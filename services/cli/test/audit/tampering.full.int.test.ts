/** An auditor’s command finds and names every change in log, views, archive, transparency log or a report. */
import { testTampering } from '../tampering/tampering-tests.js'

testTampering({ name: 'trials of tampering', full: 500, minimum: 120 }, 60)
