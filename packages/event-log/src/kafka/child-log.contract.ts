/** Opens the log of the contract suite in a child process. */
import type { EventLog } from '../port.js'
import { openKafkaLog } from './kafka-log.js'

export async function openLog(brokers: string): Promise<EventLog> {
  return openKafkaLog({ brokers, clientId: 'contract-child' })
}
