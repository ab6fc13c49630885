import { expect, test } from 'vitest'
import type { ServiceState } from './processes.js'
import { statusText } from './register.js'
import type { Status } from './status.js'

const service = (fields: Partial<ServiceState> = {}): ServiceState => ({
  ...{ name: 'api-0', ready: true, is_seen: true, detail: '', health_url: null, heartbeat: null },
  ...fields,
})
const heartbeat = {
  ...{ host: 'north', pid: 17, release: '1.2.3', started_at: '2026-11-23T00:00:00.000Z' },
  ...{ age_ms: 400, clock_skew_ms: 0 },
}
const status = (services: readonly ServiceState[], missing: readonly string[] = []): Status => ({
  ...{ healthy: true, running: true, profile: 'kafka', base_urls: [], services, missing_services: missing },
  log: { kind: 'kafka', identity: 'kafka:1', brokers: ['b:9092'], registry: null },
  ...{ groups: [], projections: [], dead_letters: [], outbox: { waiting: 0, oldest_age_ms: 0 } },
  ...{ standstills: [], cosigning: null, compared_rows: [], retired_months: [] },
  backlog: {
    ...{ open_jobs: 0, waiting_screenings: 0 },
    largest_account: { open_jobs: 0, waiting_screenings: 0 },
    limits: { pro: { open_jobs: 50, waiting_screenings: 7_000 } },
  },
  ...{ clock_skew_ms: 0, disk: null },
})

test('services of this machine have no column of releases and hosts', () => {
  const text = statusText(status([service(), service({ name: 'web-0', ready: false, detail: 'accepting' })]))
  expect(text).toMatch(/^SERVICE +STATE *$/m)
  expect(text).toMatch(/^web-0 +not ready +accepting *$/m)
})

test('services of a cluster are shown with release, host and a clock that is off', () => {
  const late = service({ name: 'scorer-0', heartbeat: { ...heartbeat, clock_skew_ms: -5_000 } })
  const text = statusText(status([service({ heartbeat }), late], ['projector']))
  expect(text).toMatch(/^The kafka installation runs\.$/m)
  expect(text).toMatch(/^api-0 +ready +1\.2\.3 +north *$/m)
  expect(text).toMatch(/^scorer-0 .*its clock is 5000 ms ahead of that of the database$/m)
  expect(text).toContain('No process runs of: projector.')
})

test('the backlog is shown with what an account may have of it', () => {
  const idle = status([service()])
  expect(statusText(idle)).toContain(
    'An account may have so many bulk jobs open and screenings waiting: 50 and 7000 on pro.',
  )
  const largest = { open_jobs: 2, waiting_screenings: 900 }
  const busy = { ...idle.backlog, open_jobs: 3, waiting_screenings: 1_000, largest_account: largest }
  expect(statusText({ ...idle, backlog: busy })).toContain(
    '3 bulk jobs are open and 1000 screenings wait; of one account at most 2 and 900.',
  )
})

test('the months that an archive has are shown, and one whose retirement was cut off says what to do', () => {
  const month = { store: 'database', reports: 7, archive: '/backup', begun_at: '2026-01-02T00:00:00.000Z' }
  const months = [
    { ...month, month: '2024-01', ended_at: '2026-01-02T00:01:00.000Z' },
    { ...month, month: '2024-02', ended_at: null },
  ]
  const text = statusText({ ...status([service()]), retired_months: months })
  expect(text).toMatch(/^2024-01 +database +7 +\/backup *$/m)
  expect(text).toMatch(/^2024-02 +database +7 +\/backup +cut off: run `cupel retention apply` again$/m)
})
