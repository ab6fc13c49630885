import { noMetrics, silentLogger } from '@cupel/contracts'
import { expect, test, vi } from 'vitest'
import { ConfigError, loadConfig } from '../config.js'
import { collectorUrl, openTracing } from './open-tracing.js'

const LOCAL = 'http://127.0.0.1:4318'
const open = (environment: Record<string, string>) =>
  openTracing({ service: 'api', config: loadConfig(environment), logger: silentLogger, metrics: noMetrics })

test.each([
  {},
  { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: LOCAL, OTEL_SDK_DISABLED: 'true' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: LOCAL, OTEL_TRACES_EXPORTER: 'none' },
])('%j makes no traces', async (environment) => {
  const { tracing, close } = await open(environment)
  expect(tracing).toBeNull()
  await close()
})

test('the addresses of the collector are read as OpenTelemetry says', () => {
  const urlOf = (environment: Record<string, string>) => collectorUrl(loadConfig(environment))
  expect(urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT: LOCAL })).toBe(`${LOCAL}/v1/traces`)
  expect(urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT: `${LOCAL}/a/` })).toBe(`${LOCAL}/a/v1/traces`)
  expect(
    urlOf({ OTEL_EXPORTER_OTLP_ENDPOINT: LOCAL, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${LOCAL}/b` }),
  ).toBe(`${LOCAL}/b`)
})

test('a collector on another machine is called over verified TLS, or where a setting allows it', async () => {
  const other = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.internal:4318' }
  await expect(open(other)).rejects.toThrow(ConfigError)
  await expect(open(other)).rejects.toThrow(/OTEL_EXPORTER_OTLP_ENDPOINT.*CUPEL_OTLP_INSECURE=true/)
  for (const accepted of [
    { ...other, CUPEL_OTLP_INSECURE: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.internal:4318' },
  ]) {
    const { tracing, close } = await open(accepted)
    expect(tracing).not.toBeNull()
    await close()
  }
})

test.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
  { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  { OTEL_EXPORTER_OTLP_HEADERS: 'no value' },
  { OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz' },
  { OTEL_EXPORTER_OTLP_HEADERS: 'a=one%0d%0atwo' },
  { OTEL_TRACES_SAMPLER: 'jaeger_remote' },
  { OTEL_TRACES_SAMPLER_ARG: '1.5' },
  { OTEL_TRACES_SAMPLER_ARG: 'half' },
  { OTEL_BSP_MAX_QUEUE_SIZE: '0' },
  { CUPEL_TRACE_SLOW_MS: '0' },
])('%j refuses the start with one sentence', (environment) => {
  const [[name, value]] = Object.entries(environment) as [[string, string]]
  try {
    loadConfig(environment)
    expect.unreachable()
  } catch (error) {
    const { message } = error as Error
    expect(error).toBeInstanceOf(ConfigError)
    expect(message).toMatch(new RegExp(`^${name}: [^\\n]+\\.$`))
    if (name.endsWith('HEADERS')) expect(message).not.toContain(value)
  }
})

test('an authority that cannot be read refuses the start', async () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem',
  }
  await expect(open(environment)).rejects.toThrow(/^OTEL_EXPORTER_OTLP_CERTIFICATE cannot be read/)
})

test('without traces nothing that makes them is loaded', async () => {
  vi.doMock('./start-tracing.js', () => ({
    startTracing: () => {
      throw new Error('loaded')
    },
  }))
  try {
    await expect(open({})).resolves.toMatchObject({ tracing: null })
    await expect(open({ OTEL_EXPORTER_OTLP_ENDPOINT: LOCAL })).rejects.toThrow('loaded')
  } finally {
    vi.doUnmock('./start-tracing.js')
  }
})
