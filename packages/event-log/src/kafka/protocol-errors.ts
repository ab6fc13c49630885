/** Errors that brokers answer with. */
import errorPart from 'kafkajs/src/protocol/error.js'

const { createErrorFromCode } = errorPart as {
  createErrorFromCode(code: number): Error
}

/** The protocol's error with this code; `protocolError` tells its name. */
export const errorOfCode = (code: number): Error => createErrorFromCode(code)

/**
 * The protocol's name of the innermost error, for example UNKNOWN_TOPIC_OR_PARTITION; null for errors of the connection.
 * kafkajs gives a refused password no such name; this returns the protocol's name for it.
 */
export function protocolError(error: unknown): string | null {
  let found: string | null = null
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('type' in each && typeof each.type === 'string') found = each.type
    if (each.name === 'KafkaJSSASLAuthenticationError') found = 'SASL_AUTHENTICATION_FAILED'
  }
  return found
}
