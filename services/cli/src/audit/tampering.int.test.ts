/** Whatever is changed in log, views, archive, transparency log or a report is found by an auditor’s command, and named. */
import { testTampering } from '../../test/tampering/tampering-tests.js'

testTampering({ name: 'trials of tampering', full: 500, minimum: 240 }, 60)
