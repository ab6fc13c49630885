/** Every operation of the description, called by those for whom it is not: whatever is added later is tried as well. */
import { createClient, type Answer, type Client } from '../client.js'
import type { Attack } from './attack.js'
import { description, METHODS, objectsOf } from './marked-calls.js'
import { asOwner, createTenant, issueKey, type Target } from './target.js'

type Method = (typeof METHODS)[number]

/** What everybody may read. A share link and a link of an e-mail are rights by themselves. */
const PUBLIC = /^\/(?:openapi\.json|postman\.json|docs|problems\/|healthz|readyz|v1\/shared\/|v1\/email\/)/
/** What a person with any key may do: begin and end a session of her own, and mark what she has read. */
const OWN = /^\/v1\/(?:sessions|inbox\/marks)/
/** It names what its own account asked for. */
const AUDIT_LOG = '/v1/audit-log'
/** What concerns the whole installation. Everybody may see whether the demo is on. */
const isOfOperators = ({ method, path }: Pick<Door, 'method' | 'path'>): boolean =>
  /^\/v1\/(?:accounts|people|list-imports|list-refreshes|ledger|installation|policy\/activations)/.test(
    path,
  ) ||
  (path === '/v1/demo' && method !== 'GET')
/** An operator administers the keys of every account. */
const isAdministration = ({ path }: Pick<Door, 'path'>): boolean =>
  /^\/v1\/(?:keys|proposed-changes)/.test(path)
const FAULT = 500
/** Far fewer would mean that the description was not walked. */
const MIN_CALLS = 200

interface Door {
  readonly method: Method
  readonly path: string
  /** The path with ids of the victim, and the example of the body. */
  readonly place: string
  readonly body: string | undefined
}

interface Caller {
  readonly name: string
  readonly key: string
  /** Doors that it tries; absent: all. What it may do is not tried. */
  readonly tries?: (door: Door) => boolean
  /** Why this answer is a breach; null if it is none. */
  readonly breach: (door: Door, answer: Answer) => string | null
}

/** The doors of the victim, whose things are made by a key of the scope operator. A list is asked for with the account of the victim too. */
async function doorsOf(
  client: Client,
  accountId: string,
): Promise<{ readonly all: Door[]; readonly ids: readonly string[] }> {
  const objects = await objectsOf(client)
  const doors: Door[] = []
  for (const method of METHODS)
    for (const [path, operations] of Object.entries(description().paths)) {
      const operation = operations[method.toLowerCase()]
      if (operation === undefined) continue
      const example = operation.requestBody?.content['application/json']?.example
      const body = example === undefined ? undefined : JSON.stringify(example)
      const place = await objects.place(path)
      doors.push({ method, path, place, body })
      if (method === 'GET' && !path.includes('{'))
        doors.push({ method, path, place: `${place}?account_id=${accountId}`, body })
    }
  return { all: doors, ids: objects.ids() }
}

/** 403: nobody signs in with a service that is not configured. */
const SHUT = [401, 403, 404]
const isDone = ({ status }: Answer): boolean => status < 400
const without = (statuses: readonly number[]) => (_: Door, answer: Answer) =>
  statuses.includes(answer.status) ? null : `${answer.status}`

function callersOf(
  { attacker, victim }: Pick<Target, 'attacker' | 'victim'>,
  keys: Readonly<Record<'otherAdmin' | 'otherOperator' | 'admin' | 'sandbox', string>>,
  ids: readonly string[],
): readonly Caller[] {
  const ofAnother: Caller['breach'] = ({ method, path }, answer) =>
    isDone(answer) && path.includes('{') && !PUBLIC.test(path) && !path.includes('/log/tile/')
      ? `${answer.status} for a thing of another`
      : isDone(answer) && isOfOperators({ method, path })
        ? `${answer.status} for an operator’s`
        : victim.canaries.some((canary) => answer.text.includes(canary)) ||
            (isDone(answer) &&
              !PUBLIC.test(path) &&
              path !== AUDIT_LOG &&
              ids.some((id) => answer.text.includes(id)))
          ? 'it told something of another'
          : null
  return [
    {
      name: 'a stranger',
      key: '',
      breach: (door, answer) => (PUBLIC.test(door.path) ? null : without(SHUT)(door, answer)),
    },
    { name: 'another customer', key: attacker.key, breach: ofAnother },
    { name: 'an admin of another account', key: keys.otherAdmin, breach: ofAnother },
    {
      name: 'an operator of another account',
      key: keys.otherOperator,
      tries: (door) => !isOfOperators(door) && !isAdministration(door),
      breach: ofAnother,
    },
    { name: 'a sandbox key of the account', key: keys.sandbox, breach: ofAnother },
    {
      name: 'a key that reads',
      key: victim.readOnlyKey,
      breach: ({ method, path }, answer) =>
        (method !== 'GET' && !OWN.test(path) && !PUBLIC.test(path) && answer.status !== 403) ||
        (isOfOperators({ method, path }) && answer.status !== 403)
          ? `${answer.status}`
          : null,
    },
    {
      name: 'an admin',
      key: keys.admin,
      tries: isOfOperators,
      breach: without([403]),
    },
  ]
}

/** What changes by itself, as a delivery with each attempt. */
const MOVES = /tile|problems|shared|email|deliveries/

/** What the owner reads of each thing that has an id, by its path, as long as nobody changed it. */
async function readAll(client: Client, doors: readonly Door[]): Promise<ReadonlyMap<string, string>> {
  const read = new Map<string, string>()
  for (const { method, path, place } of doors)
    if (method === 'GET' && path.endsWith('}') && !MOVES.test(path))
      read.set(path, (await client.send('GET', place)).text)
  return read
}

export const doors: readonly Attack[] = [
  {
    name: 'every operation by a stranger, another customer, a key that reads or is of the sandbox, an admin, and an admin and an operator of another account',
    threat: 'identity',
    async run(target) {
      const { baseUrl, installation, victim } = target
      const { home } = installation
      const owner = createClient([baseUrl], await issueKey(home, victim.accountId, ['--scope', 'operator']))
      const stranger = await createTenant(home, 'Other')
      const keys = {
        otherAdmin: await issueKey(home, stranger.accountId, ['--scope', 'admin']),
        otherOperator: await issueKey(home, stranger.accountId, ['--scope', 'operator']),
        admin: await issueKey(home, victim.accountId, ['--scope', 'admin']),
        sandbox: await issueKey(home, victim.accountId, ['--scope', 'admin', '--environment', 'test']),
      }
      try {
        const { all, ids } = await doorsOf(owner, victim.accountId)
        const before = await readAll(owner, all)
        const breaches: string[] = []
        let calls = 0
        for (const { name, key, breach, tries = () => true } of callersOf(target, keys, ids)) {
          const client = createClient([baseUrl], key)
          try {
            for (const door of all.filter(tries)) {
              calls += 1
              const answer = await client.send(door.method, door.place, door.body)
              // Whoever calls is told what is wrong with the call.
              const fault = answer.status >= FAULT ? `${answer.status}` : breach(door, answer)
              if (fault !== null) breaches.push(`${name}: ${door.method} ${door.path}: ${fault}`)
            }
          } finally {
            await client.close()
          }
        }
        for (const [path, text] of await readAll(owner, all))
          if (before.get(path) !== text) breaches.push(`${path} of the victim changed`)
        return {
          limit: 'opens nothing, changes nothing and tells nothing of another',
          measured: `${calls} calls to ${all.length} operations; ${breaches.slice(0, 8).join('; ') || 'nothing opened'}`,
          held: breaches.length === 0 && calls >= MIN_CALLS,
        }
      } finally {
        await owner.close()
        await asOwner(target, 'DELETE FROM labels.list_order')
      }
    },
  },
]
