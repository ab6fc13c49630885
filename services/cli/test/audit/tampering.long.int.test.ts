/** Runs ten thousand of the trials of tampering.full.int.test.ts. */
import { testTampering } from '../tampering/tampering-tests.js'

testTampering({ name: 'trials of tampering', full: 10_000, minimum: 240, demanded: 10_000 }, 1_000)
