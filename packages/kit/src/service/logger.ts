/** Logs one JSON line per event to standard error: standard output is for the program's answer. */
import type { Logger } from '@cupel/contracts'
import { destination, pino, stdTimeFunctions } from 'pino'

/** A logger whose level can be changed while the service runs. */
export interface ServiceLogger extends Logger {
  level: string
  /** Sends every further line to `take` as well, exactly as it is written, without the redacted fields. */
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

/** Limit in bytes for lines that wait while the disk is full; later lines are lost. */
const MAX_WAITING_BYTES = 1_048_576
const DISK_IS_FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT']

/** A full disk does not stop a service: the waiting lines are written with the next line once there is room. */
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
  // At the end of the process, the library would retry a failed write for ever.
  const { flushSync } = lines
  lines.flushSync = () => {
    if (!isFull) flushSync.call(lines)
  }
  return lines
}
