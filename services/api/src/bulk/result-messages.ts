/** What the process and its thread of large reads tell each other. A read has one message of each side under way at most, and its turns. */
import { LogUnavailableError, type EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import type { NotFound } from '@cupel/read-models'
import type { BegunResults, ResultOrder } from './read-results.js'

export interface ThreadData {
  readonly connection: Database['connection']
  readonly timeoutMs: number
  /** Of the report topics: the thread has a copy of every module. */
  readonly reportPartitions: number
}

/** The log is asked in the process. */
export type LogQuestion =
  | { readonly of: 'endOffset'; readonly args: Parameters<EventLog['endOffset']> }
  | { readonly of: 'partitionFor'; readonly args: Parameters<EventLog['partitionFor']> }

export type ToThread =
  | { readonly kind: 'begin'; readonly id: number; readonly order: ResultOrder }
  /** The next bytes are wanted. */
  | { readonly kind: 'next'; readonly id: number }
  /** Nothing of the read is wanted any more. */
  | { readonly kind: 'leave'; readonly id: number }
  | { readonly kind: 'turn'; readonly id: number }
  /** Ends the thread. */
  | { readonly kind: 'close' }
  | { readonly kind: 'log'; readonly question: number; readonly value: number }
  | { readonly kind: 'log'; readonly question: number; readonly fault: Fault }

export type FromThread =
  | { readonly kind: 'begun'; readonly id: number; readonly begun: NotFound | Omit<BegunResults, 'chunks'> }
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'end'; readonly id: number }
  | { readonly kind: 'fault'; readonly id: number; readonly fault: Fault }
  /** Asks for a turn, and ends it. */
  | { readonly kind: 'turn'; readonly id: number }
  | { readonly kind: 'turn over'; readonly id: number }
  | { readonly kind: 'log'; readonly question: number; readonly asked: LogQuestion }

/** An error on its way between threads, which keeps neither its class nor its code. */
export interface Fault {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly code: string | undefined
}

export function faultFrom(error: unknown): Fault {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const code = (error as { readonly code?: unknown } | null)?.code
  return { name, message, stack, code: typeof code === 'string' ? code : undefined }
}

/** An error that those who judge errors judge as they would the one it was. */
export function errorOf({ name, message, stack, code }: Fault): Error {
  const error = name === LogUnavailableError.name ? new LogUnavailableError(message) : new Error(message)
  if (stack !== undefined) error.stack = stack
  return Object.assign(error, { name }, code === undefined ? {} : { code })
}
