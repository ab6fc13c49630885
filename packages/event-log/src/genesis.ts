/** The first record of a log. It distinguishes the log from an earlier one that was deleted under the same name. */
import { randomUUID } from 'node:crypto'
import { TYPE_HEADER, type NewRecord } from './port.js'

/** Topic of the genesis record: one partition, one record, created before every other topic. */
export const GENESIS_TOPIC = 'log.genesis.v1'
export const GENESIS_TYPE = 'cupel.genesis'

/** A new genesis record. Its key is the identity; if two processes append one each, the one at the lowest offset counts. */
export function genesisRecord(): NewRecord {
  return {
    topic: GENESIS_TOPIC,
    partition: 0,
    key: randomUUID(),
    value: Buffer.from('The first record of this log.'),
    headers: { [TYPE_HEADER]: GENESIS_TYPE },
  }
}
