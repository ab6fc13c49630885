/**
 * The log of a process that signs: every record of a public topic gets a signature, which a subscriber checks with the public key. Records
 * that are appended in the same moment share one signature (docs/adr/0297).
 */
import { createBatcher } from '@cupel/kit/concurrency'
import { isPublicTopic } from '@cupel/contracts'
import { signRecords, type Signer } from '@cupel/signing'
import type { EventLog, LogIdentity, NewRecord } from '../port.js'

/** Records of one tree: paths of at most eight hashes. */
const MAX_BATCH_RECORDS = 256
/**
 * Kafka is asked twice for the identity, and before each append this would take as long as the append. If other brokers serve the address
 * meanwhile, the signatures of this time name the log that was there before, and are invalid.
 */
export const IDENTITY_KEPT_MS = 5_000

/** The signature is made before the MAC, which covers it: `log` is the authentic log. Null signs nothing. */
export function signedLog<L extends EventLog>(log: L, signer: Signer | null): L {
  if (signer === null) return log
  let known: { readonly identity: LogIdentity; readonly untilMs: number } | null = null
  // One batch at a time, so that the records of a partition keep their order.
  const batcher = createBatcher<NewRecord, NewRecord>({
    async run(records) {
      if (known === null || performance.now() >= known.untilMs)
        known = { identity: await log.identity(), untilMs: performance.now() + IDENTITY_KEPT_MS }
      return signRecords(records, { signer, log: known.identity })
    },
    maxBatchItems: MAX_BATCH_RECORDS,
  })
  const signed = async (records: readonly NewRecord[]): Promise<readonly NewRecord[]> =>
    await Promise.all(
      records.map(async (record) => (isPublicTopic(record.topic) ? await batcher.add(record) : record)),
    )
  return {
    ...log,
    // A screen is not to pay for what its records do not need.
    append: (at, records) =>
      records.some(({ topic }) => isPublicTopic(topic))
        ? signed(records).then((all) => log.append(at, all))
        : log.append(at, records),
  }
}
