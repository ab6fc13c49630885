/** Logs one JSON line per event on standard error: standard output is for the program's answer. */
import type { Logger } from '@cupel/contracts'
import { destination, pino, stdTimeFunctions } from 'pino'

export interface LoggerOptions {
  readonly service: string
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly instance?: number
  /** Appends to this file instead of standard error: for a service that shares a person's terminal. */
  readonly file?: string
}

/** Fields of logged objects that are never written, at any depth. */
const SECRET_FIELDS = ['authorization', 'key', 'secret', 'password', 'token', 'cookie']

export function createLogger(options: LoggerOptions): Logger {
  const base =
    options.instance === undefined
      ? { service: options.service }
      : { service: options.service, instance: options.instance }
  const redact = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`])
  return pino(
    { level: options.level, base, timestamp: stdTimeFunctions.isoTime, redact },
    destination({ dest: options.file ?? 2, sync: false, minLength: 0, mkdir: true }),
  )
}
