/** Records keep their signatures on every log: an auditor reads exactly the signed bytes. */
import { generateKeyPairSync } from 'node:crypto'
import { createSignatureCheck, openSigner, signRecords } from '@cupel/signing'
import { describe, expect, test } from 'vitest'
import {
  CASE_TIMEOUT_MS,
  contractContext,
  numbered,
  readAll,
  record,
  type LogOfProcess,
} from './log-under-test.contract.js'

export function signedContract(start: () => Promise<LogOfProcess>): void {
  describe('signed records', { timeout: CASE_TIMEOUT_MS }, () => {
    const context = contractContext(start)

    test('each record of a batch is read back with a signature of its own, and a changed one has none', async () => {
      const topic = await context.newTopic(1)
      const log = context.log()
      const identity = await log.identity()
      const signer = openSigner('cupel/contract', generateKeyPairSync('ed25519').privateKey)
      const batch = numbered(5).map((text) => record(topic, text, { partition: 0, key: 'Zürich ∆' }))
      const signed = signRecords(batch, { signer, log: identity })
      await log.append('test', [...signed, { ...signed[2]!, value: Buffer.from('changed') }, batch[0]!])
      const check = createSignatureCheck([signer.key], [identity])
      expect((await readAll(log, topic, 0)).map((each) => check(each).kind)).toEqual([
        ...batch.map(() => 'signed'),
        'wrong-signature',
        'no-signature',
      ])
    })
  })
}
