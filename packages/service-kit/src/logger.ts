/** Logs one JSON line per event on standard error: standard output is for the program's answer. */
import type { Logger } from '@cupel/contracts'
import { destination, pino, stdTimeFunctions } from 'pino'

/** A logger whose level can be changed while the service runs. */
export interface ServiceLogger extends Logger {
  level: string
  /** Every further line goes to `take` as well, as it is written: without what is never written. */
  copyLines(take: (line: string) => void): void
}

export interface LoggerOptions {
  readonly service: string
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  readonly instance?: number
  /** Appends to this file instead of standard error: for a service that shares a person's terminal. */
  readonly file?: string
}

/** Fields of logged objects that are never written, at any depth. */
const SECRET_FIELDS = ['authorization', 'key', 'secret', 'password', 'token', 'cookie']

export function createLogger(options: LoggerOptions): ServiceLogger {
  const base =
    options.instance === undefined
      ? { service: options.service }
      : { service: options.service, instance: options.instance }
  const redact = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`])
  const lines = linesTo(options.file ?? 2)
  const logger = pino({ level: options.level, base, timestamp: stdTimeFunctions.isoTime, redact }, lines)
  return Object.assign(logger, {
    copyLines(take: (line: string) => void) {
      const write = lines.write.bind(lines)
      lines.write = (line) => {
        take(line)
        return write(line)
      }
    },
  })
}

/** Bytes of lines that wait while the disk is full; later ones are lost. */
const MAX_WAITING_BYTES = 1_048_576
const DISK_IS_FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT']

/** A full disk stops no service: the next line is written with those that wait, as soon as there is room. */
function linesTo(file: string | number): ReturnType<typeof destination> {
  const lines = destination({
    dest: file,
    sync: false,
    minLength: 0,
    mkdir: true,
    maxLength: MAX_WAITING_BYTES,
  })
  let isFull = false
  lines.on('write', () => (isFull = false))
  lines.on('error', (error: NodeJS.ErrnoException) => {
    if (!DISK_IS_FULL.includes(error.code)) throw error
    isFull = true
  })
  // At the end of the process the library repeats a write that fails for ever.
  const { flushSync } = lines
  lines.flushSync = () => {
    if (!isFull) flushSync.call(lines)
  }
  return lines
}
