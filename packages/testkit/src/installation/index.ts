/** The installation builder of the tests, with helpers to append and read. */
export {
  failLoudly,
  openTestInstallation,
  type TestDeps,
  type TestInstallation,
  type TestInstallationOptions,
} from './open-test-installation.js'
export { deathsWithin, diesAt, type LifeDeps } from './dies-at.js'
export { issueTestKey, type IssuedTestKey } from './issue-test-key.js'
export { testEnvelope, testEvent } from './test-event.js'
export { openTestLog, TEST_RECORD_KEYS_FILE, testRecordKeys } from './open-test-log.js'
