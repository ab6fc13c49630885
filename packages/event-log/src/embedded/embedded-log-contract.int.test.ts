import { openDatabase } from '@cupel/postgres'
import { createTestDatabase, migratedTemplate } from '@cupel/testkit'
import { eventLogContract } from '../event-log.contract.js'
import { eventLogMigrations } from '../migrations.js'
import { openEmbeddedLog } from './index.js'

eventLogContract('The log on Postgres', async () => {
  const { connectionString, drop } = await createTestDatabase(await migratedTemplate([eventLogMigrations]))
  const database = openDatabase({ connectionString, maxConnections: 8, applicationName: 'contract' })
  return {
    open: async ({ topicPrefix } = {}) => openEmbeddedLog({ database, topicPrefix }),
    async deleteBefore({ topic, partition, offset }) {
      await database.query('SELECT log.delete_before($1, $2, $3)', [topic, partition, offset])
    },
    childModule: new URL('./child-log.contract.ts', import.meta.url),
    childConfig: connectionString,
    async release() {
      await database.close()
      await drop()
    },
  }
})
