/** The messages between the process and its thread of large reads. Besides its turns, a read has one message per side under way at most. */
import { LogUnavailableError, RecordRetiredError, type EventLog, type Retirement } from '@cupel/event-log'
import type { PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import type { ReadDocuments } from '@cupel/reports/read-model'
import type { NotFound } from '../../read-model/index.js'
import type { BegunResults, ResultOrder } from './read-results.js'

export interface ThreadData {
  readonly connection: Database['connection']
  readonly timeoutMs: number
  /** Number for the report topics: the thread has its own copy of every module. */
  readonly reportPartitions: number
}

/** The process queries the log for the thread, and opens sealed texts: the thread has no keys. */
export type Question =
  | { readonly of: 'endOffset'; readonly args: Parameters<EventLog['endOffset']> }
  | { readonly of: 'partitionFor'; readonly args: Parameters<EventLog['partitionFor']> }
  | { readonly of: 'openJson'; readonly args: Parameters<PersonalData['openJson']> }
  | { readonly of: 'readDocuments'; readonly args: Parameters<ReadDocuments> }

export type AnswerValue = number | string | (string | null)[]

export type ToThread =
  | { readonly kind: 'begin'; readonly id: number; readonly order: ResultOrder }
  /** Asks for the next bytes. */
  | { readonly kind: 'next'; readonly id: number }
  /** The read needs no further bytes. */
  | { readonly kind: 'leave'; readonly id: number }
  | { readonly kind: 'turn'; readonly id: number }
  /** Ends the thread. */
  | { readonly kind: 'close' }
  | { readonly kind: 'answer'; readonly question: number; readonly value: AnswerValue }
  | { readonly kind: 'answer'; readonly question: number; readonly fault: Fault }

export type FromThread =
  | { readonly kind: 'begun'; readonly id: number; readonly begun: NotFound | Omit<BegunResults, 'chunks'> }
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'end'; readonly id: number }
  | { readonly kind: 'fault'; readonly id: number; readonly fault: Fault }
  /** Asks for a turn; the next one ends it. */
  | { readonly kind: 'turn'; readonly id: number }
  | { readonly kind: 'turn over'; readonly id: number }
  | { readonly kind: 'question'; readonly question: number; readonly asked: Question }

/** An error as threads exchange it. The error itself would lose its class and its code. */
export interface Fault {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly code: string | undefined
  readonly retirement: Retirement | undefined
}

export function faultFrom(error: unknown): Fault {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const code = (error as { readonly code?: unknown } | null)?.code
  const retirement = error instanceof RecordRetiredError ? error.retirement : undefined
  return { name, message, stack, code: typeof code === 'string' ? code : undefined, retirement }
}

/** An error that callers classify like the original. */
export function errorOf({ name, message, stack, code, retirement }: Fault): Error {
  const error = withItsClass({ name, message, retirement })
  if (stack !== undefined) error.stack = stack
  return Object.assign(error, { name }, code === undefined ? {} : { code })
}

function withItsClass({ name, message, retirement }: Pick<Fault, 'name' | 'message' | 'retirement'>): Error {
  if (retirement !== undefined) return new RecordRetiredError(message, retirement)
  return name === LogUnavailableError.name ? new LogUnavailableError(message) : new Error(message)
}
