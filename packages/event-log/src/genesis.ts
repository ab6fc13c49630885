/** The first record of a log: with it a log that was wiped and created anew under the same name is told from the old one. */
import { randomUUID } from 'node:crypto'
import { TYPE_HEADER, type NewRecord } from './port.js'

/** Topic of the genesis record: one partition, one record, created before every other topic. */
export const GENESIS_TOPIC = 'log.genesis.v1'
export const GENESIS_TYPE = 'cupel.genesis'

/** A new genesis record. Its key is the identity; where two processes wrote one each, the one at the lowest offset counts. */
export function genesisRecord(): NewRecord {
  return {
    topic: GENESIS_TOPIC,
    partition: 0,
    key: randomUUID(),
    value: Buffer.from('The first record of this log.'),
    headers: { [TYPE_HEADER]: GENESIS_TYPE },
  }
}
