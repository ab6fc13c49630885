/** The service behaves as the description shows: the test sends each example and compares the answer with the description. */
import { enterLists } from '@cupel/labels'
import { startOutboxRelay } from '@cupel/projections'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { createTestJobs } from './bulk-jobs.js'
import { document, exampleOf, headerFaults, operations } from './described.js'
import { startIdentityProvider, until, type IdentityProvider } from '@cupel/testkit'
import { newEmailLink } from './email-link.js'
import { call } from './http-client.js'
import { insertEntry, newWatch } from './watch-work.js'
import { newShare, type MadeShare } from './report-work.js'
import { startInstallation, type Installation } from './installation.js'

let installation: Installation
let url: string
let key: string
let reportId: string
let transferId: string
let jobId: string
let endedJobId: string
let endpointId: string
let deliveryId: string
let share: MadeShare
let people: IdentityProvider
beforeAll(async () => {
  installation = await startInstallation()
  const issued = await installation.key({ scope: 'operator' })
  key = issued.key
  people = await startIdentityProvider()
  const config = {
    CUPEL_TRUSTED_PROXIES: ['127.0.0.0/8'],
    CUPEL_OIDC_FILE: people.settingsFile({ desk: issued.keyId }),
  }
  url = (await installation.api({ config })).url
  reportId = await newReport()
  const transfer = await call(url, 'POST', '/v1/transfers', { key, body: exampleOf('POST', '/v1/transfers') })
  transferId = String(transfer.json()['transfer_id'])
  await enterLists(installation.database, ['sdn'])
  const job = await call(url, 'POST', '/v1/bulk', { key, body: exampleOf('POST', '/v1/bulk') })
  jobId = String(job.json()['job_id'])
  const jobs = createTestJobs(installation, url)
  const ended = await jobs.submit(key)
  await jobs.decide(ended, 0, 'red')
  await jobs.end(ended, 1, 1)
  endedJobId = ended.jobId
  share = await newShare({ url, key, reportId })
  endpointId = await newEndpoint()
  const ping = await call(url, 'POST', `/v1/webhook-endpoints/${endpointId}/test`, { key })
  deliveryId = String(ping.json()['delivery_id'])
  const note = exampleOf('POST', '/v1/reports/{report_id}/notes')
  await call(url, 'POST', `/v1/reports/${reportId}/notes`, { key, body: note })
  await insertEntry(installation.database, issued.accountId)
  installation.prove()
  const relay = startOutboxRelay({ ...installation.deps, lookIntervalMs: 20 })
  installation.onClose(() => relay.stop())
  for (const document of ['proof', 'case/proof'])
    await until(async () =>
      expect((await call(url, 'GET', `/v1/reports/${reportId}/${document}`, { key })).status).toBe(200),
    )
})
afterAll(async () => {
  await installation.stop()
  await people.close()
})

async function newReport(): Promise<string> {
  const reply = await call(url, 'POST', '/v1/screen', { key, body: exampleOf('POST', '/v1/screen') })
  return String(reply.json()['report_id'])
}

async function newEndpoint(): Promise<string> {
  const body = exampleOf('POST', '/v1/webhook-endpoints')
  const made = await call(url, 'POST', '/v1/webhook-endpoints', { key, body })
  return String(made.json()['endpoint_id'])
}

async function newLink(): Promise<string> {
  // A further endpoint of this account would be one too many.
  const { key: other } = await installation.key()
  return (await newEmailLink({ database: installation.database, url, key: other })).token
}

async function newKey(): Promise<string> {
  const made = await call(url, 'POST', '/v1/keys', { key, body: exampleOf('POST', '/v1/keys') })
  return String(made.json()['key_id'])
}

async function newLabel(): Promise<string> {
  const labels = '/v1/own-labels'
  const made = await call(url, 'POST', labels, { key, body: exampleOf('POST', labels) })
  return String(made.json()['label_id'])
}

async function newChange(): Promise<string> {
  const changes = '/v1/proposed-changes'
  const made = await call(url, 'POST', changes, { key, body: exampleOf('POST', changes) })
  return String(made.json()['change_id'])
}

/** An import in the state in which its example is possible. No refresher works here. */
async function newImport(path: string): Promise<string> {
  const imports = '/v1/list-imports'
  const made = await call(url, 'POST', imports, { key, body: exampleOf('POST', imports) })
  const id = String(made.json()['import_id'])
  if (path.endsWith('/parts')) return id
  const body = exampleOf('POST', `${imports}/{import_id}/parts`)
  await call(url, 'POST', `${imports}/${id}/parts`, { key, body })
  const checked = `UPDATE labels.list_order SET status = 'checked' WHERE order_id = $1`
  if (path.endsWith('/confirm')) await installation.database.execute(checked, [id])
  return id
}

/** The path of a file that was attached as the example does. */
async function newFile(path: string): Promise<string> {
  const at = path.replace('{report_id}', await newReport())
  const body = exampleOf('POST', '/v1/reports/{report_id}/case/files')
  await call(url, 'POST', at.replace('/{version}', ''), { key, body })
  return at.replace('{version}', '1')
}

/** A deleted endpoint is gone for the next examples, so the example that deletes gets its own. */
async function concrete(method: string, path: string): Promise<string> {
  const endpoint = method === 'DELETE' ? await newEndpoint() : endpointId
  // Its example must be the first entry of a case.
  if (path.endsWith('/disposition') || path.endsWith('/assignment'))
    return path.replace('{report_id}', await newReport())
  if (path.endsWith('/files/{version}')) return await newFile(path)
  const { shareId, token } = method === 'DELETE' ? await newShare({ url, key, reportId }) : share
  return path
    .replace('{job_id}', path.endsWith('/pdf') ? endedJobId : jobId)
    .replace('{transfer_id}', transferId)
    .replace('{share_id}', shareId)
    .replace('{token}', token)
    .replace('{link}', path.includes('{link}') ? await newLink() : '')
    .replace('{watch_id}', path.includes('{watch_id}') ? await newWatch(url, key) : '')
    .replace('{import_id}', path.includes('{import_id}') ? await newImport(path) : '')
    .replace('{change_id}', path.includes('{change_id}') ? await newChange() : '')
    .replace('{label_id}', path.includes('{label_id}') ? await newLabel() : '')
    .replace('{key_id}', path.includes('{key_id}') ? await newKey() : '')
    .replace('{endpoint_id}', endpoint)
    .replace('{delivery_id}', deliveryId)
    .replace('{tile}', 'entries/000.p/1')
    .replace('{code}', 'invalid_address')
    .replaceAll(/\{\w+\}/g, reportId)
}

/** Every ID token in the examples has expired, so a sign-in gets a fresh one. */
async function bodyOf(method: string, path: string): Promise<object> {
  const example = exampleOf(method, path)
  return path === '/v1/sessions/oidc'
    ? { ...example, ...(await people.signIn({ groups: ['desk'] })) }
    : example
}

test.each(operations.map((one) => [one.operation.operationId, one] as const))(
  '%s answers its example as described',
  async (_name, { method, path, operation }) => {
    const body = operation.requestBody === undefined ? {} : { body: await bodyOf(method, path) }
    const isOpen = operation.security?.length === 0
    // Call as a proxy that ends TLS does.
    const headers = { 'x-forwarded-proto': 'https' }
    const reply = await call(url, method, await concrete(method, path), {
      ...(isOpen ? {} : { key }),
      ...body,
      headers,
    })
    const described = operation.responses[String(reply.status)]
    expect(reply.status, reply.text).toBeLessThan(300)
    expect(described, `${reply.status} is not described`).toBeDefined()
    const [type, media] = Object.entries(described!.content ?? {})[0] ?? []
    expect(reply.headers['content-type']).toBe(type)
    if (media === undefined) expect(reply.text).toBe('')
    else {
      const value: unknown = type === 'application/json' ? reply.json() : reply.text
      expect(z.fromJSONSchema(inline(media.schema) as never).safeParse(value).error).toBeUndefined()
    }
    expect(headerFaults(operation, reply, { isSecure: true })).toEqual([])
  },
)

/** Replaces the references of the schema by their targets; no schema here refers to itself. */
function inline(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inline)
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref } = schema as { $ref?: string }
  if ($ref !== undefined) return inline(document.components.schemas[$ref.split('/').at(-1)!])
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, inline(value)]))
}
