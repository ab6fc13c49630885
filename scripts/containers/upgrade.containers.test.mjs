// Upgrades an installation of release 0.1.0 to this version with docker compose up, and checks that every report is unchanged.
import { noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOf } from '../kubernetes/as-containers.mjs'
import { matched } from '../matched.mjs'
import { openComposition, untilServed } from './composition.mjs'
import { docker } from './docker.mjs'
import { hasHistory } from '../released-checkout.mjs'
import { releasedImage } from './released-image.mjs'

const RELEASE = '0.1.0'
const missing = process.env.CUPEL_TEST_ENGINE_MISSING
if (missing !== undefined) noteSkip(`an upgrade of release ${RELEASE} in containers: ${missing}`)
const isHistoryHere = await hasHistory(RELEASE)
const PROJECT = `cupel-upgrade-${process.pid}`
/** Differs from the subnets of compositions that run beside this one. */
const EDGE_PREFIX = '10.218.1'
const ADDRESSES = [
  '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
  '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h',
  'TXJgMdjVX5dKiQaUi9QobwNxtSQaFqccvd',
]
const END_SECONDS = '60'

// A download without history, or with only a part of it, lacks the sources of the release.
if (!isHistoryHere)
  test('the history of this checkout lacks the release, so that no upgrade is tried', () =>
    console.warn(`No upgrade of release ${RELEASE} was tried: the history of this checkout lacks it.`))

const describeUpgrade = isHistoryHere ? describe.skipIf(missing !== undefined) : () => undefined
describeUpgrade(`an upgrade of release ${RELEASE}`, () => {
  const released = `${PROJECT}-released`
  let composition
  let base
  let key
  const reports = new Map()
  let job

  beforeAll(async () => {
    const image = await releasedImage(RELEASE)
    composition = await openComposition({ project: PROJECT, edgePrefix: EDGE_PREFIX })
    await composition.compose('build', 'secrets')
    await composition.up('postgres', 'kafka', 'registry')
    await docker(
      ...['run', '--detach', '--name', released, '--network', `${PROJECT}_data`],
      ...['operator', 'services'].flatMap((name) => [
        '--volume',
        `${PROJECT}_secrets-${name}:/secrets/${name}:ro`,
      ]),
      image,
    )
    base = `http://${await addressOf(released)}:8080`
  })
  afterAll(async () => {
    if (composition === undefined) return
    await docker('rm', '--force', '--volumes', released)
    await composition.close()
  })

  /** Runs a command of the release. */
  const cupel = (...args) =>
    docker(
      ...['exec', released, 'sh', '-c'],
      'CUPEL_HOME=/tmp CUPEL_DATABASE_URL=$(cat /secrets/operator/admin-url) CUPEL_LOG=kafka CUPEL_KAFKA_BROKERS=kafka:9092 CUPEL_KAFKA_SASL_MECHANISM=plain CUPEL_KAFKA_USERNAME=cupel CUPEL_KAFKA_PASSWORD=$(cat /secrets/operator/kafka-password) exec node services/cli/dist/main.js "$@"',
      ...['cupel', ...args],
    )
  const call = async (path, body) => {
    const answer = await fetch(`${base}${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    expect(answer.status, `${path}: ${text}`).toBeLessThan(300)
    return text
  }
  /** Reports of all items of a job, in the order of the submission. */
  const reportsOf = async (path) => {
    const reports = JSON.parse(await call(path)).items.map(({ report }) => report)
    expect(reports).toHaveLength(ADDRESSES.length)
    expect(reports).not.toContain(undefined)
    return reports
  }
  const soon = (path, body) => untilServed(() => call(path, body))

  test('the release screens, and ends a bulk job', async () => {
    const [account] = matched(
      /acc_[0-9a-f]+/,
      await untilServed(() => cupel('accounts', 'create', 'Old customer')),
    )
    ;[key] = matched(
      /cpl_live_\w+/,
      await cupel('keys', 'create', '--account', account, '--scope', 'read-write', '--plan', 'pro'),
    )
    for (const address of ADDRESSES) {
      const text = await soon('/v1/screen', { address })
      reports.set(JSON.parse(text).report_id, text)
    }
    const { job_id: id } = JSON.parse(await soon('/v1/bulk', { addresses: ADDRESSES }))
    const path = `/v1/bulk/${id}/results`
    await untilServed(async () =>
      expect(JSON.parse(await call(`/v1/bulk/${id}`)).completed_at).not.toBeNull(),
    )
    job = { path, reports: await untilServed(() => reportsOf(path)) }
    // It stops in order: everything that it answered is in the log.
    await docker('stop', '--time', END_SECONDS, released)
  })

  test('the commands of the page bring it to this version, with every report and the key', async () => {
    await composition.followPage('Upgrade')
    base = composition.base
    for (const [id, text] of reports)
      await untilServed(async () => expect(await call(`/v1/reports/${id}`)).toBe(text))
    await untilServed(async () => expect(await reportsOf(job.path)).toEqual(job.reports))
    for (const address of ADDRESSES) {
      const { report_id: id } = JSON.parse(await soon('/v1/screen', { address }))
      expect(reports.has(id)).toBe(false)
    }
  })
})
