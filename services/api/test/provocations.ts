/**
 * Provokes each problem code of the list on every operation that can return it: by a mistake of the caller,
 * or by a part that is down, late or busy.
 */
import { MAX_NOTES } from '@cupel/cases'
import type { ProblemCode } from '@cupel/contracts'
import { plans } from '@cupel/domain'
import { startIdentityProvider, until } from '@cupel/testkit'
import { MAX_OPEN_ORDERS } from '@cupel/labels'
import { MAX_ENDPOINTS } from '@cupel/webhooks'
import { expect } from 'vitest'
import { storedKeyOf } from '@cupel/gate/calls'
import { streamLimits } from '@cupel/gate/http'
import { exampleOf, type Described } from './described.js'
import { logThatStalls, startBroken, startWithoutStore } from './faulty-instances.js'
import { call as callInTheClear, type CallOptions, type Reply } from './http-client.js'
import type { ApiOptions, Installation } from './installation.js'
import { newEmailLink, useTooOften } from './email-link.js'
import { outerAddress } from './outer-address.js'
import { openProposals } from './proposal-provocations.js'
import { HOOKS, makeHook, type Hook } from './hook-work.js'
import { exhaustShare, fillNotes, fillShares, newShare } from './report-work.js'
import { openRetiredReports } from './retired-reports.js'
import { importTransfers, MANY_TRANSFERS, ONE_TRANSFER, OWN } from './transfer-work.js'
import { fillWatches, newWatch, whileWatchesWait } from './watch-work.js'

/** Null if this operation cannot return it. */
export type Provocation = (at: Described) => Promise<Reply | null> | null

export type Provocations = Readonly<Record<ProblemCode, Provocation>>

const SCREEN = '/v1/screen'
const BULK = '/v1/bulk'
const KEYS = '/v1/keys'
const IMPORTS = '/v1/list-imports'
const OWN_LABELS = '/v1/own-labels'
const REFRESHES = '/v1/list-refreshes'
const WATCHES = '/v1/watches'
const REPORT = '/v1/reports/{report_id}'
const TRANSFERS = '/v1/transfers'
const TRANSFER = '/v1/transfers/{transfer_id}'
const PERSON = '/v1/sessions/oidc'
const CURRENT_SESSION = '/v1/sessions/current'
const SHARED = '/v1/shared/{token}'
const EMAIL = '/v1/email/{link}'
const NOBODYS_ID = '0000000000000000'
/** An address whose EIP-55 checksum is wrong. */
const MISTYPED_ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f9a'.replace('dC57', 'Dc57')

/** An example of BIP 173. */
const BITCOIN_ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

/** Starts an instance for each kind of fault; the installation stops them. */
export async function createProvocations(installation: Installation): Promise<Provocations> {
  let instances = 10
  const people = await startIdentityProvider()
  installation.onClose(() => people.close())
  const account = await installation.key({ scope: 'operator' })
  const ofAccount = { accountId: account.accountId }
  const distant = await installation.key({ ...ofAccount, allowedIps: ['203.0.113.0/24'] })
  const spent = await installation.key({ plan: 'pro', scope: 'operator' })
  const settings = people.settingsFile({ desk: account.keyId, far: distant.keyId, spent: spent.keyId })
  const start = async (options: ApiOptions = {}): Promise<string> =>
    (
      await installation.api({
        ...options,
        config: {
          CUPEL_INSTANCE: (instances += 1),
          CUPEL_TRUSTED_PROXIES: ['127.0.0.0/8'],
          CUPEL_OIDC_FILE: settings,
          ...options.config,
        },
      })
    ).url
  const url = await start()
  const strictUrl = await start({ config: { CUPEL_AUTH_FAILURES_PER_MINUTE: 1 } })
  const hastyUrl = await start({ config: { CUPEL_SCREEN_DEADLINE_MS: 1_500 } })
  const stalledUrl = await start({ log: logThatStalls(installation.log) })
  const brokenUrl = await startBroken(installation, start)
  const storelessUrl = await startWithoutStore(installation, start)
  const outer = outerAddress()
  const exposedUrl = outer === null ? null : await start({ config: { CUPEL_HOST: '0.0.0.0' } })

  const { key } = account
  const otherKey = await installation.key(ofAccount)
  const begun = await call(url, 'POST', IMPORTS, { key, body: exampleOf('POST', IMPORTS) })
  const importId = String(begun.json()['import_id'])
  const stated = await call(url, 'POST', OWN_LABELS, { key, body: exampleOf('POST', OWN_LABELS) })
  const labelId = String(stated.json()['label_id'])
  const retired = await openRetiredReports(installation, { url, start, ...account })
  const proposals = await openProposals({
    start,
    send: (path, body) => call(url, 'POST', path, { key, body }),
  })
  const endedKey = await installation.key(ofAccount)
  await call(url, 'POST', `/v1/keys/${endedKey.keyId}/revoke`, { key, body: { reason: 'an example' } })
  const crowdedUrl = await start({ config: { CUPEL_ENTERPRISE_OPEN_JOBS: 1 } })
  const readOnly = (await installation.key({ ...ofAccount, scope: 'read-only' })).key
  // This bucket is empty: it is full only in an hour, and any bucket fills faster than that.
  await installation.database.execute(
    'INSERT INTO access.bucket (key_id, full_at_us, hard_full_at_us) VALUES ($1, access.now_us() + 3600000000, 0)',
    [spent.keyId],
  )
  const session = String((await call(url, 'POST', '/v1/sessions', { key })).json()['session_token'])
  const reportId = String((await screen(url, { key })).json()['report_id'])
  const transferBody = exampleOf('POST', TRANSFERS)
  const transferId = String(
    (await call(url, 'POST', TRANSFERS, { key, body: transferBody })).json()['transfer_id'],
  )
  await importTransfers(installation)
  const job = await call(url, 'POST', BULK, { key, body: exampleOf('POST', BULK) })
  const jobId = String(job.json()['job_id'])

  const work = await reportsWithWork(installation, { url, key, reportId })
  const watchId = await newWatch(url, key)
  const [hook, paused] = [await makeHook(url, key, call), await makeHook(url, key, call)]
  const emailLink = await newEmailLink({ database: installation.database, url, key }, 'confirm', call)
  await call(url, 'PATCH', `${HOOKS}/${paused.endpointId}`, { key, body: { status: 'disabled' } })
  const crowded = await installation.key()
  for (let endpoint = 0; endpoint < MAX_ENDPOINTS; endpoint += 1) await makeHook(url, crowded.key, call)

  const pathOf = (path: string, { endpointId, deliveryId }: Hook): string =>
    path
      .replace('{job_id}', jobId)
      .replace('{transfer_id}', transferId)
      .replace('{share_id}', work.share.shareId)
      .replace('{token}', work.share.token)
      .replace('{link}', emailLink.token)
      .replace('{key_id}', otherKey.keyId)
      .replace('{import_id}', importId)
      .replace('{change_id}', proposals.changeId)
      .replace('{label_id}', labelId)
      .replace('{watch_id}', watchId)
      .replace('{endpoint_id}', endpointId)
      .replace('{delivery_id}', deliveryId)
      .replace('{tile}', 'entries/000.p/1')
      .replaceAll(/\{\w+\}/g, reportId)
  /** Sends the example of the description, with the given changes. */
  const send = (
    at: Described,
    options: Omit<CallOptions, 'key'> & {
      url?: string
      key?: string | null
      id?: string
      hook?: Hook
      query?: string
    } = {},
  ): Promise<Reply> => {
    const { url: to = url, key: given = key, id, hook: of = hook, query = '', ...rest } = options
    const body = at.operation.requestBody === undefined ? {} : { body: exampleOf(at.method, at.path) }
    const place = at.path.replace('{version}', '1')
    const path = (id === undefined ? pathOf(place, of) : place.replaceAll(/\{\w+\}/g, id)) + query
    return call(to, at.method, path, {
      ...(isKeyed(at) && given !== null ? { key: given } : {}),
      ...body,
      ...rest,
    })
  }
  /** Sends the ID token of a person in this group, for endpoints that take one. */
  const sendAs = async (at: Described, group: string, to = url): Promise<Reply> =>
    send(at, { url: to, body: await people.signIn({ groups: [group] }) })
  /** Sends an address in the body of a POST, or in the query of a list. */
  const sendAddress = (at: Described, input: Record<string, string>): Promise<Reply> =>
    at.method === 'POST'
      ? send(at, { body: bodyWith(at.path, input) })
      : send(at, { query: `?${new URLSearchParams(input).toString()}` })
  const { scorer } = installation
  /** Does `work` while the scorer holds its requests. */
  const whileHeld = async (work: () => Promise<Reply>): Promise<Reply> => {
    scorer.answer = 'hold'
    try {
      return await work()
    } finally {
      scorer.answer = 'report'
      await scorer.release()
    }
  }
  const lookedUp = (at: Described, hash: string): Promise<Reply> =>
    send(at, {
      body: { chain: 'ETH', direction: 'incoming', to: OWN, asset: 'USDT', transaction_hash: hash },
    })
  const fail = async (at: Described): Promise<Reply> => {
    scorer.answer = 'fail'
    const reply = await (at.path === TRANSFERS ? send(at) : screen(url, { key }))
    scorer.answer = 'report'
    return reply
  }
  const screenAt = exampleOf('POST', SCREEN) as Record<string, string>

  return {
    invalid_request: (at) =>
      at.operation.requestBody !== undefined
        ? send(at, { body: { ...exampleOf(at.method, at.path), addres: 'x' } })
        : takes(at, 'query')
          ? send(at, { query: '?page_size=0' })
          : send(at, { withoutHost: true }),
    invalid_address: (at) => sendAddress(at, { address: MISTYPED_ADDRESS }),
    invalid_webhook_url: (at) => send(at, { body: { url: 'https://127.0.0.1/' } }),
    invalid_key: (at) => send(at, { key: null }),
    scope_required: (at) => send(at, { key: readOnly }),
    key_required: (at) => send(at, { key: session }),
    ip_not_allowed: (at) => (at.path === PERSON ? sendAs(at, 'far') : send(at, { key: distant.key })),
    sign_in_refused: (at) => sendAs(at, 'nobody'),
    https_required: (at) =>
      exposedUrl === null ? null : send(at, { url: exposedUrl.replace('127.0.0.1', outer!) }),
    not_found: (at) =>
      at.path === REFRESHES
        ? send(at, { body: { name: 'of nobody' } })
        : at.path === KEYS
          ? send(at, { body: { ...exampleOf(at.method, at.path), account_id: 'acc_00000000000000000000' } })
          : (proposals.notFound(at, send) ?? send(at, { id: NOBODYS_ID })),
    method_not_allowed: (at) => call(url, 'PUT', at.path.replaceAll(/\{\w+\}/g, reportId), { key }),
    not_acceptable: (at) => send(at, { headers: { accept: 'image/png' } }),
    idempotency_in_progress: async (at) => {
      const idempotencyKey = `first-${at.operation.operationId}`
      const headers = { 'idempotency-key': idempotencyKey }
      if (at.path === WATCHES)
        return await whileWatchesWait(installation, account.accountId, {
          begin: () => void send(at, { headers }).catch(() => undefined),
          idempotencyKey,
          repeat: () => send(at, { headers }),
        })
      // This call gets no answer: the log does not acknowledge what it appends.
      void send(at, { url: stalledUrl, headers }).catch(() => undefined)
      await until(async () => {
        const reserved = 'SELECT 1 FROM access.idempotency WHERE idempotency_key = $1'
        expect(await installation.database.query(reserved, [storedKeyOf(idempotencyKey)])).toHaveLength(1)
      })
      return await send(at, { headers })
    },
    idempotency_mismatch: async (at) => {
      const headers = { 'idempotency-key': `used-${at.operation.operationId}` }
      await call(url, 'POST', SCREEN, { key, headers, body: { ...screenAt, customer_reference: 'before' } })
      return await send(at, { headers })
    },
    transfer_not_found: (at) => lookedUp(at, ONE_TRANSFER),
    transfer_ambiguous: (at) => lookedUp(at, MANY_TRANSFERS),
    too_many_shares: (at) => send(at, { id: work.crowded }),
    too_many_watches: async (at) => {
      const { accountId, key } = await installation.key({ plan: 'pro' })
      await fillWatches(installation, accountId, plans.pro.maxWatches)
      return await send(at, { key })
    },
    // The key of the call.
    import_conflict: async (at) => {
      if (at.path !== IMPORTS && at.path !== '/v1/demo')
        return await send(at, at.path.endsWith('/parts') ? { body: { part: 7, content: 'AAAA' } } : {})
      const forget = () =>
        installation.database.execute('DELETE FROM labels.list_order WHERE order_id <> $1', [importId])
      await forget()
      for (let open = 0; open < MAX_OPEN_ORDERS; open += 1) await send({ ...at, path: IMPORTS })
      return await send(at).finally(forget)
    },
    ...proposals.provoked(send),
    key_conflict: (at) => send(at, { id: at.path.endsWith('/rotate') ? endedKey.keyId : account.keyId }),
    case_conflict: (at) =>
      /[/](?:notes|files|assignment)$/.test(at.path)
        ? send(at, { id: work.crowded, body: { ...exampleOf(at.method, at.path), version: MAX_NOTES } })
        : send(at, { id: work.escalated, body: { ...exampleOf(at.method, at.path), version: 1 } }),
    report_retired: (at) => retired(at, send),
    version_mismatch: (at) =>
      send(at, { id: work.escalated, body: { ...exampleOf(at.method, at.path), version: 7 } }),
    too_many_endpoints: (at) => send(at, { key: crowded.key }),
    endpoint_disabled: (at) => send(at, { hook: paused }),
    // No coordinator ends jobs here.
    job_not_ended: (at) => send(at),
    // The server answers these below the router, for any path.
    request_timeout: () => null,
    head_too_large: () => null,
    payload_too_large: (at) =>
      send(at, { body: ' '.repeat(at.path.endsWith('/files') ? 3_000_000 : 1_048_577) }),
    unsupported_media_type: (at) => send(at, { headers: { 'content-type': 'text/plain' } }),
    unsupported_chain: (at) => sendAddress(at, { ...screenAt, chain: 'XYZ' }),
    as_of_too_early: (at) => send(at, { body: { ...screenAt, as_of: '2009-01-03T18:15:05Z' } }),
    chain_mismatch: (at) => sendAddress(at, { address: BITCOIN_ADDRESS, chain: 'ETH' }),
    rate_limited: (at) =>
      at.path === PERSON
        ? sendAs(at, 'spent')
        : at.path === EMAIL
          ? useTooOften({ database: installation.database, url, key }, at.method, call)
          : send(at.path === SHARED ? { ...at, path: at.path.replace('{token}', work.exhausted) } : at, {
              key: spent.key,
            }),
    too_many_streams: async (at) => {
      const { key: busy } = await installation.key({ accountId: account.accountId, plan: 'enterprise' })
      const fill = (): Promise<Reply>[] =>
        Array.from({ length: streamLimits.maxStreamsPerKey }, () => send(at, { key: busy }))
      return await until(async () => {
        void Promise.all(fill()).catch(() => undefined)
        const reply = await send(at, { key: busy })
        expect(reply.status).toBe(429)
        return reply
      })
    },
    too_many_jobs: async (at) => {
      const { key: busy } = await installation.key({ plan: 'enterprise' })
      await send(at, { url: crowdedUrl, key: busy })
      return await send(at, { url: crowdedUrl, key: busy })
    },
    too_many_failures: async (at) => {
      await call(strictUrl, 'GET', '/v1/chains')
      // The example of this endpoint is an ID token without a valid signature.
      if (at.path === PERSON) return await send(at, { url: strictUrl })
      // A link needs no key: a call with an unknown token fails.
      return await send(at, {
        url: strictUrl,
        key: null,
        ...(at.path === SHARED || at.path === EMAIL ? { id: NOBODYS_ID } : {}),
      })
    },
    internal_error: async (at) => {
      const reply = await (at.path === PERSON
        ? sendAs(at, 'desk', brokenUrl)
        : send(at, { url: brokenUrl, ...(at.path === CURRENT_SESSION ? { key: session } : {}) }))
      if (at.usesStore) return reply
      expect(reply.status, `${at.method} ${at.path} says that it uses no store`).not.toBe(500)
      return null
    },
    screening_failed: async (at) => {
      const failed = await fail(at)
      return at.path === SCREEN || at.path === TRANSFERS
        ? failed
        : await send(at, { id: String(failed.json()['report_id']) })
    },
    screening_timeout: (at) => whileHeld(() => send(at, { url: hastyUrl })),
    screening_pending: (at) =>
      at.path !== REPORT && at.path !== TRANSFER
        ? null
        : whileHeld(async () => {
            const late = await screen(hastyUrl, { key })
            return await send(at, { id: String(late.json()['report_id']) })
          }),
    unavailable: (at) =>
      at.path === PERSON ? sendAs(at, 'desk', storelessUrl) : send(at, { url: storelessUrl }),
  }
}

/** The address in the body of each endpoint that takes one. */
function bodyWith(path: string, input: Record<string, string>): object {
  if (path === WATCHES) return { watches: [input] }
  if (path === OWN_LABELS) return { ...input, decision: 'allow', reason: 'our own' }
  if (path === TRANSFERS) {
    const { address, ...rest } = input
    return { ...exampleOf('POST', TRANSFERS), ...rest, from: address }
  }
  return path === BULK ? asBulk(input) : input
}

/** A link, a report at its limits of links and notes, an escalated report, and the token of a link that was opened too often. */
async function reportsWithWork(
  { database }: Installation,
  { url, key, reportId }: { url: string; key: string; reportId: string },
) {
  const other = async (): Promise<string> => String((await screen(url, { key })).json()['report_id'])
  const share = await newShare({ url, key, reportId }, call)
  const crowded = await other()
  await fillShares(database, (await newShare({ url, key, reportId: crowded }, call)).shareId)
  await call(url, 'POST', `/v1/reports/${crowded}/notes`, { key, body: { text: 'One of many' } })
  await fillNotes(database, crowded)
  const escalated = await other()
  const body = { disposition: 'escalated', reason: 'To look at', version: 0 }
  await call(url, 'POST', `/v1/reports/${escalated}/disposition`, { key, body })
  const opened = await newShare({ url, key, reportId: escalated }, call)
  await exhaustShare(database, opened.shareId)
  return { share, crowded, escalated, exhausted: opened.token }
}

/** Calls as a proxy that ends TLS does. */
function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Reply> {
  const headers = { 'x-forwarded-proto': 'https', ...options.headers }
  return callInTheClear(url, method, path, { ...options, headers })
}

function screen(url: string, options: CallOptions): Promise<Reply> {
  return call(url, 'POST', SCREEN, { body: exampleOf('POST', SCREEN), ...options })
}

/** Sends the same for many addresses, as one job. */
function asBulk({ address, ...rest }: Record<string, string>): object {
  return { addresses: [address], ...rest }
}

const isKeyed = (at: Described): boolean => at.operation.security?.length !== 0

function takes(at: Described, place: 'path' | 'query'): boolean {
  return (at.operation.parameters ?? []).some((parameter) => parameter.in === place)
}
