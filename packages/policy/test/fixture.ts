/** The log, the codec and a database, for the commands that append to the log. */
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'

export type Fixture = TestInstallation
export const openFixture = (): Promise<Fixture> => openTestInstallation()
