/** An installation for each test of a file, with a day's work in it. A drill damages and restores it. */
import { afterEach, beforeEach, expect } from 'vitest'
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
} from './drill.js'
import { openRestorable, type Restorable, type RestorableOptions } from './restorable.js'

export interface Drill {
  readonly installation: Restorable
  readonly receiver: Receiver
  readonly answered: Answered
  readonly customer: Customer
  /** A day's work: reports, a job and its webhook. */
  begin(): Promise<void>
  /** Checks that every answered report is there, nothing is repeated, and new work gets new ids and webhooks. */
  goesOn(): Promise<void>
}

/** Call this once, outside of tests. The result belongs to the running test. */
export function drillOfEachTest(options: RestorableOptions = {}): Drill {
  let installation: Restorable
  let receiver: Receiver
  let answered: Answered
  let customer: Customer
  beforeEach(async () => {
    installation = await openRestorable(options)
    receiver = await startReceiver()
    answered = new Map()
  })
  afterEach(async () => {
    await installation.close()
    await receiver.close()
  })
  return {
    get installation() {
      return installation
    },
    get receiver() {
      return receiver
    },
    get answered() {
      return answered
    },
    get customer() {
      return customer
    },
    begin: () =>
      installation.run(async (running) => {
        customer = await enrol(running, 'First')
        await addEndpoint(running, customer, receiver.url)
        await screen(running, customer, answered)
        await job(running, customer, { receiver, answered })
        await settled(running)
      }),
    async goesOn() {
      const before = await installation.opened(recorded)
      const past = [...receiver.received]
      await installation.run(async (running) => {
        await readAll(running, customer, answered)
        for (let screens = 0; screens < 5; screens += 1) await screen(running, customer, answered)
        await job(running, customer, { receiver, answered })
        await readAll(running, customer, answered)
        await settled(running)
        await recomputed(running)
      })
      expect(receiver.received.slice(past.length).filter((id) => past.includes(id))).toEqual([])
      await installation.opened((opened) => nothingRepeated(opened, before))
    },
  }
}
