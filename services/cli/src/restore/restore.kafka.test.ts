/** The drill of an older database on a real broker: no event of the log is repeated. */
import { randomBytes } from 'node:crypto'
import { databaseBehindLog } from '@cupel/access'
import { openKafkaLog } from '@cupel/event-log/kafka'
import { testKafka } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  addEndpoint,
  enrol,
  job,
  nothingRepeated,
  readAll,
  recomputed,
  recorded,
  screen,
  settled,
  startReceiver,
  type Answered,
  type Customer,
  type Receiver,
} from '../../test/drill.js'
import { openRestorable, type Restorable, withPrefix } from '../../test/restorable.js'

const missing = process.env['CUPEL_TEST_KAFKA_MISSING']

describe.skipIf(missing !== undefined)(
  `On a real broker${missing === undefined ? '' : ` (${missing})`}`,
  { timeout: 600_000 },
  () => {
    let installation: Restorable
    let receiver: Receiver
    beforeEach(async () => {
      const topicPrefix = `restore-${randomBytes(6).toString('hex')}.`
      installation = await openRestorable({
        openLog: () =>
          withPrefix(openKafkaLog({ ...testKafka(), clientId: 'restore', topicPrefix }), topicPrefix),
      })
      receiver = await startReceiver()
    })
    afterEach(async () => {
      await installation.close()
      await receiver.close()
    })

    test('a database that is older than the log is led past everything that the log tells', async () => {
      const answered: Answered = new Map()
      const customer: Customer = await installation.run(async (running) => {
        const made = await enrol(running, 'First')
        await addEndpoint(running, made, receiver.url)
        await screen(running, made, answered)
        await settled(running)
        return made
      })
      const backup = await installation.backUp()
      await installation.run(async (running) => {
        await screen(running, customer, answered)
        await job(running, customer, { receiver, answered })
        await settled(running)
      })
      await installation.putBack(backup)
      expect(await installation.opened(databaseBehindLog)).not.toBeNull()
      expect(await installation.restore()).toMatchObject({ mayStart: true, isOlderDatabase: true, lost: [] })
      const [before, past] = [await installation.opened(recorded), [...receiver.received]]
      await installation.run(async (running) => {
        await readAll(running, customer, answered)
        await screen(running, customer, answered)
        await job(running, customer, { receiver, answered })
        await settled(running)
        await recomputed(running)
      })
      expect(receiver.received.slice(past.length).filter((id) => past.includes(id))).toEqual([])
      await installation.opened((opened) => nothingRepeated(opened, before))
    })
  },
)
