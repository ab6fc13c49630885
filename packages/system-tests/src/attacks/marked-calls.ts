/** Calls that write a text of their own into every field, query, path and header of every described operation. */
import { readFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Answer, Client } from '../client.js'
import { endedJob, submitJob } from '../bulk-client.js'
import { checkout } from '../installation.js'
import { until } from '../until.js'
import { RECEIVER_ADDRESS } from './target.js'

export const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
/** Only a hang takes longer. */
const CHECK_TIMEOUT_MS = 120_000
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema; example: unknown }>> }
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[]
}
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** The committed description of the API, which is the one that is served. */
export const description = (): Description =>
  JSON.parse(readFileSync(join(checkout, 'docs/reference/openapi.json'), 'utf8')) as Description

/** Fields whose value is compared with what Cupel knows, so that no other text gets beyond the check of the call. */
const JUDGED: Readonly<Record<string, string>> = {
  'POST /v1/screen address': 'an address',
  'POST /v1/transfers from': 'an address',
  'POST /v1/transfers to': 'an address',
  'POST /v1/transfers contract': 'a contract',
  'POST /v1/transfers asset': 'a symbol that the ledger knows',
  'POST /v1/transfers amount': 'a number',
  'POST /v1/transfers transaction_hash': 'a hash',
  'POST /v1/watches watches[].address': 'an address',
  'POST /v1/own-labels address': 'an address',
  'POST /v1/reports/{report_id}/case/assignment assignee.key_id': 'a key of the account',
  'POST /v1/reports/{report_id}/case/assignment assignee.person': 'a person of the account',
  'POST /v1/reports/{report_id}/case/files content': 'base64 of a file',
  'POST /v1/list-imports/{import_id}/parts content': 'base64 of a list',
  'POST /v1/list-refreshes name': 'a list of the refresh plan',
  'POST /v1/policy/what-if policy.freshness.required[].origin': 'an origin of lists',
  'POST /v1/keys account_id': 'an account',
  'POST /v1/keys allowed_ips[]': 'a range of addresses',
  'PATCH /v1/keys/{key_id} allowed_ips[]': 'a range of addresses',
  'POST /v1/proposed-changes issue_key.account_id': 'an account',
  'POST /v1/proposed-changes issue_key.allowed_ips[]': 'a range of addresses',
  'POST /v1/proposed-changes change_key.allowed_ips[]': 'a range of addresses',
  // Only with the id of a key: its text goes the way of `issue_key.name`.
  'POST /v1/proposed-changes change_key.name': 'a change of a key that there is',
  // A body has a whole policy or a key: the texts of both go the same way.
  'POST /v1/proposed-changes activate_policy.id': 'a whole policy',
  'POST /v1/proposed-changes activate_policy.freshness.required[].origin': 'an origin of lists',
  'POST /v1/sessions/oidc id_token': 'a signed statement',
  'POST /v1/sessions/oidc nonce': 'the secret of a statement',
  'POST /v1/sessions/oidc key_id': 'a key of a group',
}
/** The code of a chain is one of a list. */
const isChain = (field: string): boolean => /[ .]chain$/.test(field)

/** Bodies of another form than that of the example. */
const FURTHER: Readonly<Record<string, unknown>> = {
  'POST /v1/bulk': { items: [{ address: LABELLED, reference: 'customer 4711' }] },
}

/** Words of an operator about the lists of the installation. They are of no account, and no erasure of an account concerns them (docs/personal-data.md). */
const KEPT: readonly string[] = [
  'POST /v1/list-imports dataset',
  'POST /v1/list-imports source',
  'POST /v1/list-imports replaces[]',
  'POST /v1/list-imports chain',
  'POST /v1/list-imports/{import_id}/confirm reason',
]

export interface Markers {
  /** Of no other text of the installation. */
  readonly sealed: string
  /** In the path of the URL of a webhook endpoint, which is called and so is kept until the erasure. */
  readonly url: string
  /** In what `KEPT` names. */
  readonly kept: string
}

export interface Marked {
  readonly calls: number
  /** Fields that took a text. */
  readonly taken: readonly string[]
  /** Fields of which nobody knows what becomes of their text: no call took it, and nothing says why. And decisions that are not true any more. */
  readonly undecided: readonly string[]
  /** Accounts that the calls opened. */
  readonly accounts: readonly string[]
}

/** Calls with a key of the scope operator, once for each text. */
export async function markEverything(client: Client, markers: Markers): Promise<Marked> {
  const { paths, components } = description()
  const objects = await objectsOf(client)
  const [accounts, taken, refused]: [string[], Set<string>, Map<string, string>] = [[], new Set(), new Map()]
  let calls = 0
  const next = (): string => `${markers.sealed}x${(calls += 1)}`
  const send = (method: (typeof METHODS)[number], to: string, body?: unknown): Promise<Answer> =>
    client.send(method, to, body === undefined ? undefined : JSON.stringify(body), headersOf(next))

  const writeBodies = async (method: (typeof METHODS)[number], path: string, operation: Operation) => {
    const { schema, example } = operation.requestBody!.content['application/json']!
    const examples = [example, FURTHER[`${method} ${path}`]].filter((one) => one !== undefined)
    const all = examples.flatMap((one) => textsOf(schema, one, components))
    for (const { field, isFormed, build } of all) {
      if (isFormed) continue
      const name = `${method} ${path} ${field}`
      const value = field.endsWith('url')
        ? `https://${RECEIVER_ADDRESS}/${markers.url}`
        : KEPT.includes(name)
          ? `${markers.kept}x${KEPT.indexOf(name)}`
          : next()
      const answer = await send(method, await objects.place(path), build(value, await objects.base(path)))
      if (answer.status < 300) taken.add(name)
      else refused.set(name, `${answer.status} ${answer.text.slice(0, 200)}`)
      if (path === '/v1/accounts' && answer.status === 201)
        accounts.push((JSON.parse(answer.text) as { account_id: string }).account_id)
    }
  }

  // What is deleted is needed by no other call.
  for (const method of METHODS)
    for (const [path, operations] of Object.entries(paths)) {
      const operation = operations[method.toLowerCase()]
      if (operation === undefined) continue
      for (const { in: where, name, schema } of operation.parameters ?? [])
        if (where === 'query' && isText(schema))
          await send(method, `${await objects.place(path)}?${name}=${next()}`)
      if (path.includes('{')) await send(method, path.replaceAll(/\{\w+\}/g, next), {})
      if (operation.requestBody?.content['application/json'] !== undefined)
        await writeBodies(method, path, operation)
      // A stream of events ends with its job.
      else await send(method, await objects.place(path))
    }
  const decided = (name: string): boolean => name in JUDGED || (isChain(name) && !KEPT.includes(name))
  return {
    calls,
    taken: [...taken],
    accounts,
    undecided: [
      ...objects.lacking(),
      ...[...refused].flatMap(([name, why]) => (decided(name) || taken.has(name) ? [] : [`${name}: ${why}`])),
      ...[...Object.keys(JUDGED), ...KEPT].flatMap((name) =>
        taken.has(name) === KEPT.includes(name) && (taken.has(name) || refused.has(name))
          ? []
          : [`${name} is not as the list says`],
      ),
    ],
  }
}

/** Headers that a caller writes freely. */
const headersOf = (next: () => string): Record<string, string> => ({
  ...{ 'user-agent': next(), referer: next(), 'idempotency-key': next(), 'accept-language': next() },
  ...{ cookie: `name=${next()}`, 'x-request-id': next(), baggage: `name=${next()}` },
  ...{ 'x-forwarded-for': next(), forwarded: `for=${next()}` },
  traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
  tracestate: `name=${next()}`,
})

interface Text {
  /** Names from the body to the text. */
  readonly field: string
  /** Only words of a fixed form fit the schema. */
  readonly isFormed: boolean
  /** The body with a value in that place; `base`: what of the body is no example. */
  readonly build: (value: string, base: object) => unknown
}

/** Each text of a body, with the example around it; texts that the example lacks are added. */
function textsOf(schema: Schema, example: unknown, components: Description['components']): Text[] {
  const { $ref, properties, items, anyOf } = schema
  if ($ref !== undefined) return textsOf(components.schemas[$ref.split('/').at(-1)!]!, example, components)
  if (properties !== undefined) {
    const given = (example ?? {}) as Readonly<Record<string, unknown>>
    return Object.entries(properties).flatMap(([name, of]) =>
      textsOf(of, given[name], components).map((text) => ({
        ...text,
        field: text.field === '' || text.field.startsWith('[') ? name + text.field : `${name}.${text.field}`,
        build: (value, base) => ({ ...given, ...base, [name]: text.build(value, {}) }),
      })),
    )
  }
  if (items !== undefined) {
    const [first, ...others] = (example ?? [undefined]) as readonly unknown[]
    return textsOf(items, first, components).map((text) => ({
      ...text,
      field: text.field === '' || text.field.startsWith('[') ? `[]${text.field}` : `[].${text.field}`,
      build: (value) => [text.build(value, {}), ...others],
    }))
  }
  if (anyOf !== undefined) return anyOf.flatMap((one) => textsOf(one, example, components))
  if (!isText(schema)) return []
  const isFormed =
    schema.enum !== undefined ||
    schema.const !== undefined ||
    schema.format !== undefined ||
    (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test('Jane0x1'))
  return [{ field: '', isFormed, build: (value) => value }]
}

const isText = ({ type, anyOf }: Schema): boolean =>
  [type].flat().includes('string') || (anyOf ?? []).some(isText)

export interface Objects {
  /** The path with the id of an object in the place of each parameter. */
  place(path: string): Promise<string>
  /** What of a body is no example. */
  base(path: string): Promise<object>
  /** Ids that were given so far, which name things of the caller and of nobody else. */
  ids(): readonly string[]
  /** Parameters of paths for which nothing is made. */
  lacking(): readonly string[]
}

/** Objects of the caller, of the scope operator, by the path parameters that take them. A key and an import are made anew for each call. */
export async function objectsOf(client: Client): Promise<Objects> {
  const made: Make = async (path, body, id) => {
    const { status, text } = await client.send('POST', path, JSON.stringify(body))
    if (status >= 300) throw new Error(`POST ${path} is answered ${status}: ${text}`)
    return (JSON.parse(text) as Record<string, string>)[id]!
  }
  const fixed = await keptObjects(client, made)
  const fresh: Readonly<Record<string, () => Promise<string>>> = {
    key_id: () => made('/v1/keys', { scope: 'read-only' }, 'key_id'),
    import_id: () => made('/v1/list-imports', { format: 'csv', dataset: 'marked' }, 'import_id'),
  }
  const checkedImport = async (): Promise<string> => {
    const id = await fresh['import_id']!()
    const [content, path] = [Buffer.from(LIST).toString('base64'), `/v1/list-imports/${id}`]
    await client.send('POST', `${path}/parts`, JSON.stringify({ part: 0, content }))
    await client.send('POST', `${path}/check`)
    await until('a list that was looked at', CHECK_TIMEOUT_MS, async () => {
      const { status } = JSON.parse((await client.send('GET', path)).text) as { status: string }
      return status === 'checked' || status === 'refused'
    })
    return id
  }
  const { code, tile, link, version, ...own } = fixed
  const ofEverybody = [code, tile, link, version]
  const given = new Set(Object.values(own))
  const lacking = new Set<string>()
  return {
    ids: () => [...given],
    lacking: () => [...lacking],
    async place(path: string): Promise<string> {
      let place = path
      for (const [whole, name] of path.matchAll(/\{(\w+)\}/g)) {
        const id = path.endsWith('/confirm')
          ? await checkedImport()
          : (fixed[name!] ?? (await fresh[name!]?.()))
        if (id === undefined) lacking.add(`an object for ${whole}`)
        if (id !== undefined && !ofEverybody.includes(id)) given.add(id)
        place = place.replace(whole, id ?? 'nobody')
      }
      return place
    },
    /** The version of a case is that of its last entry. */
    async base(path: string): Promise<object> {
      if (!/\/(?:disposition|assignment)$/.test(path)) return {}
      const { text } = await client.send('GET', `/v1/reports/${fixed['report_id']!}/case`)
      return { version: (JSON.parse(text) as { version: number }).version }
    },
  }
}

/** Makes an object and resolves to its member `id`. */
type Make = (path: string, body: object, id: string) => Promise<string>

/** Objects that every call may have, by the path parameters that take them. */
async function keptObjects(client: Client, made: Make): Promise<Readonly<Record<string, string>>> {
  const report = await made('/v1/screen', { address: LABELLED }, 'report_id')
  const shared = `/v1/reports/${report}/share-links`
  const job = await submitJob(client, [LABELLED], `marked-${randomBytes(6).toString('hex')}`)
  const watched = await client.send(
    'POST',
    '/v1/watches',
    JSON.stringify({ watches: [{ address: LABELLED }] }),
  )
  const [watch] = (JSON.parse(watched.text) as { items: { watch_id: string }[] }).items
  // From here on neither changes by itself.
  await endedJob(client, job.job_id, CHECK_TIMEOUT_MS)
  await until('the first report of a watch', CHECK_TIMEOUT_MS, async () => {
    const { text } = await client.send('GET', `/v1/watches/${watch!.watch_id}`)
    return (JSON.parse(text) as { last_report: object | null }).last_report !== null
  })
  const hooks = '/v1/webhook-endpoints'
  const endpoint = await made(hooks, { url: `https://${RECEIVER_ADDRESS}/cupel` }, 'endpoint_id')
  const transfer = await made(
    '/v1/transfers',
    { chain: 'ETH', direction: 'incoming', from: LABELLED, to: OTHER, asset: 'ETH', amount: '1' },
    'transfer_id',
  )
  const content = Buffer.from('The agreement.').toString('base64')
  await made(`/v1/reports/${report}/case/files`, { name: 'agreement.txt', content }, 'version')
  return {
    // The file is the first entry of its case.
    ...{ earlier_id: report, version: '1' },
    ...{ report_id: report, job_id: job.job_id, watch_id: watch!.watch_id, endpoint_id: endpoint },
    ...{ transfer_id: transfer, share_id: await made(shared, {}, 'share_id'), code: 'rate_limited' },
    label_id: await made(
      '/v1/own-labels',
      { address: OTHER, chain: 'ETH', decision: 'allow', reason: 'known' },
      'label_id',
    ),
    change_id: await made(
      '/v1/proposed-changes',
      { issue_key: { scope: 'read-only' }, reason: 'an example' },
      'change_id',
    ),
    delivery_id: await made(`${hooks}/${endpoint}/test`, {}, 'delivery_id'),
    token: (await made(shared, {}, 'url')).split('/').at(-1)!,
    tile: '0/000',
    // Only a message by e-mail has one.
    link: 'nobody',
  }
}

const OTHER = '0x00000000219ab540356cBB839Cbe05303d7705Fa'
const LIST = `address,chain,category,entity,source,source_url,confidence,observed_at
${LABELLED},ETH,scam,Somebody,marked_list,https://example.org/list,0.8,2026-01-01
`
