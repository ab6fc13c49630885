import { eventLogMigrations } from '@cupel/event-log'
import { openEmbeddedLog } from '@cupel/event-log/embedded'
import { describe } from 'vitest'
import { consumeContract } from './consume-contract.js'

describe('On the embedded log', () => {
  consumeContract({
    migrations: [eventLogMigrations],
    open: (database) => openEmbeddedLog({ database }),
    async deleteBefore(database, { topic, partition, offset }) {
      await database.query('SELECT log.delete_before($1, $2, $3)', [topic, partition, offset])
    },
  })
})
