/**
 * Records every call with a key before its answer is sent. A call that made an event of its own is recorded by that event. Answered reads of
 * the transparency log are only counted: each record is a leaf, so that a reader that polls would make the log grow. For any other call the
 * trail appends an ApiRequestAudited. If the log does not acknowledge in time, the outbox takes the event under
 * the same id. If that fails too, the answer is withheld.
 */
import { clientNetwork } from '@cupel/kit/http-edge'
import { createTimeLimit, LATE } from '@cupel/kit/concurrency'
import type { Logger, Metrics } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { AccountSeal, PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import { writeOutbox } from '@cupel/projections'
import { isRefusal } from '../http/index.js'
import {
  auditedCall,
  clientAddressOf,
  countedStrangers,
  type AuditEvent,
  type EndedCall,
} from './audited-call.js'
import { createStrangerCounts } from './stranger-counts.js'

export interface AuditTrail {
  /** False if the call could not be recorded: then it must not be answered. Never rejects. */
  record(call: EndedCall): Promise<boolean>
  /** Appends the counts of the current minute. */
  stop(): Promise<void>
}

export interface AuditTrailOptions {
  readonly log: EventLog
  readonly codec: EventCodec
  readonly database: Database
  readonly logger: Logger
  readonly metrics: Metrics
  readonly personalData: PersonalData
  /** Names this process in RefusedRequestsCounted. */
  readonly instance: string
  readonly nowMs?: () => number
}

/** An append that takes longer is written to the outbox as well. */
const APPEND_TIMEOUT_MS = 250
/** A call whose outbox row takes longer is not answered. */
const OUTBOX_TIMEOUT_MS = 2_000
/** How often the counts of minutes that are over are appended. */
const COUNT_INTERVAL_MS = 1_000

export function createAuditTrail(options: AuditTrailOptions): AuditTrail {
  const written = options.metrics.counter(
    'api_audit_events_total',
    'Calls recorded before their answer, by where: the event they made, a record of their own in the log or the outbox, only this count, or nowhere, which withholds the answer.',
    ['where'],
  )
  const strangers = createStrangerCounts(options.nowMs)
  const writer = createWriter(options)
  /** Resolves to whether the event was recorded. An event that cannot be sealed is not recorded. */
  const write = async (accountId: string, eventOf: (seal: AccountSeal) => AuditEvent): Promise<boolean> => {
    const where = await options.personalData
      .of(accountId)
      .then((seal) => writer(eventOf(seal)))
      .catch((error: unknown) => {
        options.logger.error({ err: error }, 'A call could not be recorded: it could not be sealed')
        return 'nowhere' as const
      })
    written.inc({ where })
    return where !== 'nowhere'
  }
  const appendCounts = async (which: 'ended' | 'now'): Promise<void> => {
    const counts = strangers.take(which)
    await Promise.all(
      counts.map((count) => write(NOBODY, (seal) => countedStrangers(count, options.instance, seal))),
    )
  }
  const timer = setInterval(() => void appendCounts('ended'), COUNT_INTERVAL_MS).unref()

  return {
    record(call) {
      if (
        !isRefusal(call.result) &&
        (call.result.isRecorded === true || call.result.isOnlyCounted === true)
      ) {
        written.inc({ where: call.result.isRecorded === true ? 'event' : 'count' })
        return RECORDED
      }
      const isInFull = isKnown(call) || strangers.note(clientNetwork(clientAddressOf(call)))
      return isInFull ? write(call.caller?.accountId ?? NOBODY, (seal) => auditedCall(call, seal)) : RECORDED
    },
    async stop() {
      clearInterval(timer)
      await appendCounts('now')
    },
  }
}

type Write = (event: AuditEvent) => Promise<'log' | 'outbox' | 'nowhere'>

function createWriter({ log, codec, database, logger }: AuditTrailOptions): Write {
  const appendInTime = createTimeLimit(APPEND_TIMEOUT_MS)
  const keptInTime = createTimeLimit(OUTBOX_TIMEOUT_MS)
  let isLogDown = false

  /** Resolves to whether the log acknowledged in time. */
  const append = async ({ event, topic, key }: AuditEvent): Promise<boolean> => {
    try {
      const appended = log.append('api.request-audited', [codec.encode(event, { topic, key })])
      const acknowledged = (await appendInTime(appended)) !== LATE
      noteLog(acknowledged, 'no acknowledgement in time')
      return acknowledged
    } catch (error) {
      noteLog(false, error)
      return false
    }
  }
  /** Logs two lines per outage, not one per call. */
  const noteLog = (acknowledged: boolean, cause: unknown): void => {
    if (acknowledged === !isLogDown) return
    isLogDown = !acknowledged
    if (isLogDown) logger.warn({ err: cause }, 'The log does not acknowledge calls; the outbox keeps them')
    else logger.info({}, 'The log acknowledges calls again')
  }
  const keep = async ({ event, topic, key }: AuditEvent): Promise<boolean> => {
    try {
      const kept = database.transaction({ at: 'api.audit-outbox' }, (transaction) =>
        writeOutbox(transaction, event, { topic, key }),
      )
      if ((await keptInTime(kept)) !== LATE) return true
      logger.error({ requestId: event.envelope.id }, 'A call could not be recorded in time')
    } catch (error) {
      logger.error({ err: error, requestId: event.envelope.id }, 'A call could not be recorded')
    }
    return false
  }

  return async (event) => ((await append(event)) ? 'log' : (await keep(event)) ? 'outbox' : 'nowhere')
}

/** A call by a proven person counts as known. */
const isKnown = ({ caller, actor }: EndedCall): boolean => caller !== null || actor !== ''

/** The account id of calls without an account. */
const NOBODY = ''
const RECORDED = Promise.resolve(true)
