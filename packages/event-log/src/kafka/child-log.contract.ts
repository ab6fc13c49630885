/** Opens the log of the contract suite in a child process. */
import type { TestKafkaAccess } from '@cupel/testkit'
import type { EventLog } from '../port.js'
import { openKafkaLog } from './kafka-log.js'

export async function openLog(access: string): Promise<EventLog> {
  return openKafkaLog({ ...(JSON.parse(access) as TestKafkaAccess), clientId: 'contract-child' })
}
