/** The settings of traces and of log records for a collector. They use the names of OpenTelemetry where it has one. */
import { z } from 'zod'
import { file, flag, insecure, milliseconds, secretFile, url } from '../setting-types.js'
import { samplers } from './sampler.js'

const PAIRS = 'expected NAME=VALUE,NAME=VALUE with values in percent-encoding'
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** No control characters, because such a value could not be sent. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

export const settingsOfTraces = {
  OTEL_EXPORTER_OTLP_ENDPOINT: url
    .optional()
    .describe(
      'Base address of an OpenTelemetry collector (OTLP over HTTP), as http://127.0.0.1:4318: traces go to /v1/traces below it, log records to /v1/logs where OTEL_LOGS_EXPORTER asks for them. Without it, or the next one, no traces are made.',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url
    .optional()
    .describe('Whole address for traces, in place of OTEL_EXPORTER_OTLP_ENDPOINT.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/json'])
    .default('http/json')
    .describe('Encoding of traces and log records. Collectors take it on their HTTP port, usually 4318.'),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .refine((text) => headersOf(text) !== null, PAIRS)
    .optional()
    .describe(
      'Headers for the collector, such as a token: NAME=VALUE,NAME=VALUE with values in percent-encoding.',
    ),
  OTEL_EXPORTER_OTLP_HEADERS_FILE: secretFile('OTEL_EXPORTER_OTLP_HEADERS'),
  OTEL_EXPORTER_OTLP_CERTIFICATE: file(
    'File with the certificate authorities of the collector in PEM; by default those of the system.',
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds(100, 60_000)
    .default(10_000)
    .describe('Time in milliseconds that the collector has to take a batch.'),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'])
    .default('otlp')
    .describe('none makes no traces, whatever addresses are set.'),
  OTEL_SDK_DISABLED: flag
    .default(false)
    .describe('true makes no traces and sends no log records, whatever addresses are set.'),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers)
    .default('parentbased_traceidratio')
    .describe(
      'Which traces are sampled. With parentbased_… the first process of a trace decides for all; without, each process after the API decides by the trace id, which a caller may choose. The sampled flag of a caller never decides.',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.01)
    .describe('Share of traces that is sampled, from 0 to 1, for the samplers with traceidratio.'),
  OTEL_BSP_MAX_QUEUE_SIZE: z.coerce
    .number()
    .int()
    .min(64)
    .max(1_000_000)
    .default(8_192)
    .describe('Spans that may wait to be sent. Further ones are dropped and counted.'),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds(10, 60_000)
    .default(1_000)
    .describe('How long spans wait for others, in milliseconds, before they are sent.'),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .refine((text) => pairsOf(text) !== null, PAIRS)
    .default('')
    .describe(
      'Attributes of every span and log record of a process, as deployment.environment.name=production.',
    ),
  OTEL_LOGS_EXPORTER: z
    .enum(['otlp', 'none'])
    .default('none')
    .describe(
      'otlp sends every log line to the collector too, as a log record; standard error has it all the same.',
    ),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: url
    .optional()
    .describe('Whole address for log records, in place of OTEL_EXPORTER_OTLP_ENDPOINT.'),
  OTEL_BLRP_MAX_QUEUE_SIZE: z.coerce
    .number()
    .int()
    .min(64)
    .max(1_000_000)
    .default(2_048)
    .describe('Log lines that may wait to be sent. Further ones are dropped and counted.'),
  OTEL_BLRP_SCHEDULE_DELAY: milliseconds(10, 60_000)
    .default(1_000)
    .describe('How long log lines wait for others, in milliseconds, before they are sent.'),
  CUPEL_TRACE_SLOW_MS: milliseconds(1, 60_000)
    .default(1_000)
    .describe('A call that takes this long is traced even if it is not sampled, as one that fails is.'),
  CUPEL_OTLP_INSECURE: insecure('the collector of OTEL_EXPORTER_OTLP_ENDPOINT'),
} as const

/** NAME=VALUE pairs with percent-encoded values; null if the text has another form. */
export function pairsOf(text: string): Record<string, string> | null {
  const pairs: Record<string, string> = {}
  for (const part of text.split(',').map((piece) => piece.trim())) {
    if (part === '') continue
    const at = part.indexOf('=')
    if (at < 1) return null
    try {
      pairs[part.slice(0, at).trim()] = decodeURIComponent(part.slice(at + 1).trim())
    } catch {
      return null
    }
  }
  return pairs
}

/** The pairs if each can be an HTTP header; otherwise null. */
export function headersOf(text: string): Record<string, string> | null {
  const pairs = pairsOf(text)
  const isSendable = Object.entries(pairs ?? {}).every(
    ([name, value]) => HEADER_NAME.test(name) && HEADER_VALUE.test(value),
  )
  return isSendable ? pairs : null
}
