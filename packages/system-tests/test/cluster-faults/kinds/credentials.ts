/** The server's password changes; the services receive it at the end of the fault. All connections end when it changes. */
import { executeAt } from '@cupel/testkit'
import { until } from '../../../src/until.js'
import type { FaultKind } from '../fault.js'
import { setBrokerPassword } from '../installation.js'

/** Another fault may last during this time. */
const LIMIT_MS = 600_000

export const credentials: readonly FaultKind[] = [
  {
    name: 'password of the brokers rotated',
    async begin({ cluster, tell }, random) {
      const password = random.hex(24)
      await until('a new password of the brokers', LIMIT_MS, async () => {
        await setBrokerPassword(cluster, password)
        return true
      })
      for (const { relay } of cluster.brokers) relay.reset()
      return () => tell('brokers', password)
    },
  },
  {
    name: 'password of the database rotated',
    async begin({ databaseUrl, postgres, tell }, random) {
      const password = random.hex(24)
      // ALTER ROLE takes no parameters.
      const statement = `ALTER ROLE cupel_services PASSWORD '${password}'`
      await until('a new password of the database', LIMIT_MS, async () => {
        await executeAt(databaseUrl, statement, [])
        return true
      })
      postgres.relay.reset()
      return () => tell('database', password)
    },
  },
]
