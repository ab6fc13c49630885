import { memoryLog, memoryStore } from '@cupel/testkit'
import { logOfProcessContract } from './event-log.contract.js'

logOfProcessContract('The log in memory', async () => {
  const store = memoryStore()
  return {
    open: async ({ topicPrefix } = {}) => memoryLog({ store, topicPrefix }),
    async deleteBefore({ topic, partition, offset }) {
      memoryLog({ store }).deleteBefore(topic, partition, offset)
    },
    release: async () => undefined,
  }
})
