import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTraceCollector, until, type TraceCollector } from '@cupel/testkit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ConfigError, loadConfig } from '../config.js'
import { createLogger, type ServiceLogger } from '../logger.js'
import { createMetrics } from '../metrics.js'
import type { LogExport } from './log-export-options.js'
import { openLogExport } from './open-log-export.js'

const TRACE = 'c0ffee00c0ffee00c0ffee00c0ffee00'
const LOCAL = 'http://127.0.0.1:4318'

let folder: string
let file: string
let logger: ServiceLogger
let collector: TraceCollector
const metrics = createMetrics('test')
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-log-export-'))
  file = join(folder, 'log')
  logger = createLogger({ service: 'api', level: 'info', instance: 3, file })
  collector = await startTraceCollector()
})
afterEach(async () => {
  await collector.close()
  // The logger opens its file in the background.
  await until(() => readFileSync(file))
  rmSync(folder, { recursive: true, force: true })
})

const open = (environment: Record<string, string>): Promise<LogExport> =>
  openLogExport({ service: 'api', config: loadConfig(environment), logger, metrics })
const sending = (): Record<string, string> => ({
  ...{ OTEL_LOGS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  OTEL_BLRP_SCHEDULE_DELAY: '10',
})

test('every line is a record too: with level, time, fields and trace, and without what is never written', async () => {
  const { close } = await open(sending())
  const error = Object.assign(new TypeError('It broke'), { code: 'E_BROKEN' })
  logger.warn({ err: error, traceId: TRACE, list: [1, 'a', null], password: 'hunter2' }, 'A call failed')
  logger.info({ at: { depth: { token: 'hunter3' } }, share: 0.5, yes: true, traceId: 'none' }, 'Fine')
  logger.debug({}, 'Below the level')
  await close()
  const written = await until(() => {
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    expect(lines).toHaveLength(2)
    return lines.map((line) => JSON.parse(line) as { time: string; err?: { stack: string } })
  })
  expect(collector.requests.map(({ path }) => path)).toEqual(['/v1/logs'])
  expect(collector.records).toEqual([
    {
      ...{ severity: 'WARN', body: 'A call failed', traceId: TRACE, service: 'cupel-api' },
      timeNs: BigInt(Date.parse(written[0]!.time)) * 1_000_000n,
      attributes: {
        ...{ list: [1, 'a', null], password: '[Redacted]' },
        'exception.type': 'TypeError',
        'exception.message': 'It broke',
        'exception.stacktrace': written[0]!.err!.stack,
        err: { code: 'E_BROKEN' },
      },
    },
    {
      ...{ severity: 'INFO', body: 'Fine', traceId: null, service: 'cupel-api' },
      timeNs: BigInt(Date.parse(written[1]!.time)) * 1_000_000n,
      attributes: { at: { depth: { token: '[Redacted]' } }, share: 0.5, yes: true },
    },
  ])
  expect(collector.texts.join()).not.toContain('hunter')
})

test('what the collector does not take is counted, and the file has every line', async () => {
  const dropped = async (): Promise<number> => {
    const { body } = await metrics.render()
    return Number(/^cupel_log_records_dropped_total\{reason="refused",.*\} (\d+)$/m.exec(body)?.[1] ?? 0)
  }
  collector.answerWith(400)
  const { close } = await open(sending())
  const before = await dropped()
  logger.info({}, 'One')
  await until(async () => expect(await dropped()).toBeGreaterThan(before))
  await close()
  logger.info({}, 'After the end')
  await until(() => {
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('"msg":"One"')
    expect(text).toContain('"msg":"Log records for the collector were dropped"')
    expect(text).toContain('"msg":"After the end"')
  })
})

test.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: LOCAL },
  { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: LOCAL },
  { OTEL_LOGS_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: LOCAL },
  { OTEL_LOGS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: LOCAL, OTEL_SDK_DISABLED: 'true' },
])('%j sends no line, and nothing that would is loaded', async (environment) => {
  vi.doMock('./start-log-export.js', () => ({
    startLogExport: () => {
      throw new Error('loaded')
    },
  }))
  const copies = vi.spyOn(logger, 'copyLines')
  try {
    await (await open(environment)).close()
    expect(copies).not.toHaveBeenCalled()
    await expect(open(sending())).rejects.toThrow('loaded')
  } finally {
    vi.doUnmock('./start-log-export.js')
  }
})

test.each([
  [{}, /^OTEL_LOGS_EXPORTER=otlp needs OTEL_EXPORTER_OTLP_ENDPOINT/],
  [
    { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: 'http://collector.internal:4318/v1/logs' },
    /OTEL_EXPORTER_OTLP_LOGS_ENDPOINT.*CUPEL_OTLP_INSECURE=true/,
  ],
])('%j refuses the start with one sentence', async (environment, sentence) => {
  const started = open({ OTEL_LOGS_EXPORTER: 'otlp', ...environment })
  await expect(started).rejects.toThrow(ConfigError)
  await expect(open({ OTEL_LOGS_EXPORTER: 'otlp', ...environment })).rejects.toThrow(sentence)
})

test('the address of log records is read as OpenTelemetry says', async () => {
  const { close } = await open({
    ...{ OTEL_LOGS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${collector.url}/own/v1/logs`,
  })
  logger.info({}, 'One')
  await close()
  expect(collector.requests.map(({ path }) => path)).toEqual(['/own/v1/logs'])
})
