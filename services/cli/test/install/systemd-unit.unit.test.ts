/** systemd reads the unit of the services, and it gives a service what it needs to end in order. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { loadConfig } from '@cupel/kit/service'
import { noteSkip } from '@cupel/testkit'
import { logServices } from '@cupel/operation/connections'
import { expect, onTestFinished, test } from 'vitest'
import { checkout } from '../started.js'
import { settingsFile, UNIT, unitCommand } from '../systemd-unit.js'

const unit = readFileSync(UNIT, 'utf8')
const hasSystemd = canRun('systemd-analyze')
if (!hasSystemd) noteSkip('systemd-analyze is not installed: the unit is read only by these tests')

test.runIf(hasSystemd)(
  'systemd finds no fault in the unit of any service, and calls it well protected',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'cupel-unit-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const analyze = (options: string, service: string, text: string): string => {
      const file = join(folder, `cupel@${service}.service`)
      writeFileSync(file, text.replaceAll('/opt/cupel', checkout))
      return execFileSync('sh', ['-c', `systemd-analyze ${options} '${file}' 2>&1 || true`], {
        encoding: 'utf8',
      })
    }
    const verify = (service: string, text: string): string => analyze('verify --man=no', service, text)
    for (const service of logServices) expect(verify(service, unit), service).toBe('')
    expect(verify('api', unit.replace('ProtectSystem=', 'ProtectsSystem='))).toContain('ProtectsSystem')
    const exposure = (text: string): number =>
      Number(
        /Overall exposure level .*: ([\d.]+)/.exec(
          analyze('security --offline=yes --no-pager', 'api', text),
        )![1],
      )
    expect(exposure(unit)).toBeLessThan(4)
    expect(exposure('[Service]\nExecStart=/bin/true\n')).toBeGreaterThan(9)
  },
)

test('a service gets its shared and its own settings, a number of its own, and longer to end than it takes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(
    join(folder, 'services.env'),
    settingsFile({ CUPEL_LOG: 'kafka', CUPEL_KAFKA_USERNAME: 'shared' }),
  )
  writeFileSync(join(folder, 'scorer.env'), settingsFile({ CUPEL_KAFKA_USERNAME: 'cupel-scorer' }))
  const places = {
    '/opt/cupel': resolve(checkout),
    '/etc/cupel': folder,
    '/var/lib/cupel': join(folder, 'home'),
  }
  expect(unitCommand('scorer', places)).toEqual({
    command: '/bin/sh',
    args: [join(checkout, 'scripts/with-node.sh'), join(checkout, 'dist/scorer.js')],
    environment: {
      ...{ CUPEL_HOME: join(folder, 'home'), CUPEL_INSTANCE: 'auto' },
      ...{ CUPEL_LOG: 'kafka', CUPEL_KAFKA_USERNAME: 'cupel-scorer' },
    },
  })
  const grantedMs = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]) * 1_000
  expect(grantedMs).toBeGreaterThan(loadConfig({}).CUPEL_SHUTDOWN_TIMEOUT_MS)
})

test('the files of settings on the page have comments on lines of their own: systemd takes the rest of a line for the value', () => {
  const page = readFileSync(join(checkout, 'docs/runbooks/install.md'), 'utf8')
  const files = [...page.matchAll(/^```ini\n([^]*?)^```/gm)].map(([, text]) => text!)
  const settings = files.flatMap((text) => text.split('\n')).filter((line) => line.startsWith('CUPEL_'))
  expect(settings.length).toBeGreaterThan(15)
  expect(settings.filter((line) => /\s/.test(line))).toEqual([])
})

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
