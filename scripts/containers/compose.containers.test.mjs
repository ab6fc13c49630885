// Tests docker-compose.yml as operators use it: up, a first report, a bulk job with its webhook, every container killed, down and up again.
import { noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { killInside, measured, openComposition, SERVICES, stateOf, untilServed } from './composition.mjs'
import { docker } from './docker.mjs'
import { startReceiver } from './receiver.mjs'

const missing = process.env.CUPEL_TEST_ENGINE_MISSING
if (missing !== undefined) noteSkip(`docker compose: ${missing}`)
const PROJECT = `cupel-test-${process.pid}`
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const KILLED = [...SERVICES, 'registry', 'kafka', 'postgres']

describe.skipIf(missing !== undefined)('docker compose', () => {
  let composition
  let receiver
  let key
  let first

  beforeAll(async () => {
    composition = await openComposition({ project: PROJECT })
  })
  afterAll(async () => {
    await composition?.close()
    await receiver?.close()
  })

  const call = async (path, body) => {
    const answer = await fetch(`${composition.base}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  }
  const screenedSoon = async () =>
    await untilServed(async () => {
      const answer = await call('/v1/screen', { address: LAZARUS })
      expect(answer.status, answer.text).toBe(200)
      return answer.text
    })

  const expectReadable = async (report) =>
    await untilServed(async () => {
      const read = await call(`/v1/reports/${JSON.parse(report).report_id}`)
      expect(read).toEqual({ status: 200, text: report })
    })

  test('a clone and the commands of the page, word for word, give a first report', async () => {
    const { outputs, filledIn } = await composition.followPage('From a clone to the first report')
    key = filledIn.get('cpl_live_…')
    first = outputs.at(-1)
    expect(JSON.parse(first).risk.level).toBe('grey')
    expect((await fetch(composition.settings.CUPEL_WEB_URL)).status).toBe(200)
  })

  test('every container has limits, no right but what its image needs, and ports only where people call', async () => {
    for (const id of (await composition.compose('ps', '--all', '--quiet')).trim().split('\n')) {
      const { Name: name, Config, HostConfig } = JSON.parse(await docker('inspect', id))[0]
      expect(HostConfig.CapDrop, name).toEqual(['ALL'])
      expect(HostConfig.SecurityOpt, name).toContain('no-new-privileges:true')
      if (Config.Image.startsWith(`${PROJECT}/`))
        expect([HostConfig.ReadonlyRootfs, HostConfig.CapAdd, Config.User], name).toEqual([
          true,
          null,
          '10001:10001',
        ])
      const addresses = Object.values(HostConfig.PortBindings ?? {})
        .flat()
        .map(({ HostIp }) => HostIp)
      expect(addresses, name).toEqual(/-(api|web)-1$/.test(name) ? ['127.0.0.1'] : [])
      const secrets = Config.Env.filter(
        (one) => /(PASSWORD|SECRET|KEY|URL)=/.test(one) && /:\/\/[^/]*:[^/]*@/.test(one),
      )
      expect(secrets, name).toEqual([])
    }
  })

  test('every service says how long it took to start, and holds less memory than its limit', async () => {
    const table = await untilServed(async () => {
      const rows = await Promise.all(SERVICES.map((name) => measured(composition.containerOf(name))))
      for (const { line, startedMs } of rows) expect(startedMs, line).toBeGreaterThan(0)
      return rows
    })
    console.log(`What containers took at their first start:\n${table.map(({ line }) => line).join('\n')}`)
    for (const { line, memoryBytes, limitBytes } of table) expect(memoryBytes, line).toBeLessThan(limitBytes)
  })

  /** Resolves to the ended job once the receiver has the message about its end. */
  const bulkJob = async () => {
    const id = await untilServed(async () => {
      const addresses = [LAZARUS, '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h', 'not an address']
      const { status, text } = await call('/v1/bulk', { addresses })
      expect(status, text).toBe(202)
      return JSON.parse(text).job_id
    })
    const told = await untilServed(() => {
      const messages = receiver.messages.filter(({ data }) => data.job_id === id)
      expect(messages).not.toEqual([])
      return messages
    })
    expect(new Set(told.map(({ type }) => type))).toEqual(new Set(['bulk.completed']))
    return await untilServed(async () => {
      const { status, text } = await call(`/v1/bulk/${id}`)
      expect(status, text).toBe(200)
      return JSON.parse(text)
    })
  }

  test('a bulk job ends, and a signed message says so', async () => {
    receiver = await startReceiver(await composition.gatewayOf('outside'))
    const made = await call('/v1/webhook-endpoints', { url: receiver.url, payload: 'thin' })
    expect(made.status, made.text).toBe(201)
    receiver.secret = JSON.parse(made.text).secret
    expect(await bulkJob()).toMatchObject({ total: 3, completed: 2, failed: 1 })
    expect(receiver.offences).toEqual([])
  })

  test('every profile is understood, and Prometheus of the profile observability reads every process', async () => {
    await composition.compose('--profile', '*', 'config', '--quiet')
    await composition.compose(
      ...['--profile', 'observability', 'up', '--detach', '--no-build', '--no-deps', '--wait', 'prometheus'],
    )
    const ask = async (path) => {
      const answer = await fetch(`http://127.0.0.1:${composition.settings.PROMETHEUS_PORT}/api/v1/${path}`)
      return /** @type {any} */ (await answer.json()).data
    }
    await untilServed(async () => {
      const { activeTargets } = await ask('targets?state=active')
      const healthy = activeTargets.filter(({ health }) => health === 'up')
      expect(healthy.map(({ labels }) => labels.instance).sort()).toEqual(
        SERVICES.map((name) => `${name}:9464`).sort(),
      )
    })
    const { groups } = await ask('rules')
    expect(groups.flatMap(({ rules }) => rules).length).toBeGreaterThan(0)
  })

  test('every service, the registry, the broker and Postgres come back when they are killed, and no report is lost', async () => {
    const reports = [first]
    for (const service of KILLED) {
      const container = composition.containerOf(service)
      const { restarts } = await stateOf(container)
      await killInside(container)
      await untilServed(async () => {
        const state = await stateOf(container)
        expect([service, state.isRunning, state.restarts > restarts]).toEqual([service, true, true])
      })
      reports.push(await screenedSoon())
    }
    for (const service of KILLED)
      await untilServed(async () => {
        const { health, said } = await stateOf(composition.containerOf(service))
        expect([service, health], said).toEqual([service, 'healthy'])
      })
    for (const report of reports) await expectReadable(report)
    expect(await bulkJob()).toMatchObject({ total: 3, completed: 2, failed: 1 })
    expect(receiver.offences).toEqual([])
  })

  test('down and up again, as the page says, finds everything', async () => {
    await composition.followPage('Stop and start')
    await expectReadable(first)
    await screenedSoon()
  })
})
