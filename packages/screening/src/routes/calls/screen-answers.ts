/** Answers of the calls that screen one address, by what became of the screening. */
import {
  jsonAnswer,
  recorded,
  type Answer,
  type Replay,
  refuse,
  type Refusal,
  statuses,
} from '@cupel/gate/http'
import type { FoundReport } from '@cupel/reports/routes'
import type { RefusedBecause, ScreenResult } from './screens.js'

/** A late report is usually there by then. */
const LATE_RETRY_SECONDS = 1

/** How a call shows the report of its screening. */
export interface ShownReport {
  /** The body, from the report as recorded. */
  readonly body: (document: string) => string
  readonly pathOf: (reportId: string) => string
}

export const asReport: ShownReport = {
  body: (document) => document,
  pathOf: (reportId) => `/v1/reports/${reportId}`,
}

export function replayOf(found: FoundReport, reportId: string, shown: ShownReport): Replay {
  switch (found.kind) {
    case 'report':
      return { kind: 'answer', answer: reportAnswer(shown, reportId, found.document) }
    case 'failed':
      return { kind: 'failed' }
    case 'behind':
      return {
        kind: 'unknown-yet',
        refusal: refuse('unavailable', 'It is not known yet whether an earlier call was answered.', {
          members: { report_id: reportId },
          retryAfterSeconds: LATE_RETRY_SECONDS,
        }),
      }
    case 'pending':
    case 'unknown':
      return { kind: 'none' }
  }
}

function reportAnswer(
  { body, pathOf }: ShownReport,
  reportId: string,
  document: string,
  waitedSeconds: number | null = null,
): Answer {
  const applied = waitedSeconds === null ? {} : { 'preference-applied': `wait=${waitedSeconds}` }
  return jsonAnswer(statuses.ok, body(document), { location: pathOf(reportId), ...applied })
}

export function answerOf(result: ScreenResult, shown: ShownReport): Answer | Refusal {
  const { reportId } = result
  const members = reportId === null ? {} : { report_id: reportId }
  if ('refused' in result) return refuse('unavailable', notAccepted[result.refused], { members })
  const { outcome, isRecorded } = result
  const headers = { location: shown.pathOf(result.reportId) }
  switch (outcome.kind) {
    case 'report': {
      const answer = reportAnswer(shown, result.reportId, outcome.document, result.waitedSeconds)
      return isRecorded ? recorded(answer) : answer
    }
    case 'failed':
      return refuse('screening_failed', 'The screening ended without a report.', { members })
    case 'refused': {
      const { code, detail } = outcome
      return refuse(code, detail, { members, errors: [{ pointer: '/transaction_hash', detail }] })
    }
    case 'late':
      return refuse(
        'screening_timeout',
        'The report was not ready in time; it can be fetched by its report_id.',
        { members, headers, retryAfterSeconds: LATE_RETRY_SECONDS },
      )
    case 'deferred':
      return refuse('unavailable', 'The screening begins when the service has recovered.', {
        ...{ members, headers, retryAfterSeconds: LATE_RETRY_SECONDS },
      })
    case 'unknown':
      return refuse('unavailable', 'It is not known yet whether the screen was accepted.', {
        members,
        retryAfterSeconds: LATE_RETRY_SECONDS,
      })
  }
}

const notAccepted: Readonly<Record<RefusedBecause, string>> = {
  not_ready: 'This instance does not follow the log now: it starts or stops, or no broker answers it.',
  overloaded: 'More screens are waiting than can be answered in time; this one was not accepted.',
}
