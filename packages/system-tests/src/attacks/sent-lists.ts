/** Lists that an operator received from somebody and sends over the API: none costs customers anything, reads a file or removes labels unseen. */
import { createClient, type Client } from '../client.js'
import { until } from '../until.js'
import type { Attack } from './attack.js'
import { apiPid, residentMib } from './backlogs.js'
import { closed, listening, urlOf } from './providers.js'
import { whileHeld } from './strangers.js'
import { answerOf, asOwner, createTenant, issueKey, type Target } from './target.js'

/** Bytes of a part of a list. */
const PART_BYTES = 524_288
/** Only a hang takes longer. */
const TIMEOUT_MS = 240_000
/** Memory of the process that reads, in which a busy moment of its own work has room. */
const MAX_GROWTH_MIB = 384
const IMPORTS = '/v1/list-imports'
const HEADING = 'address,chain,category,entity,source,source_url,confidence,observed_at\n'
const rowOf = (at: number): string =>
  `0x77${(at + 1).toString(16).padStart(38, '0')},ETH,scam,Somebody,attacked_list,https://example.org/list,0.8,2026-01-01\n`

interface List {
  readonly format: string
  readonly category?: string
  readonly chain?: string
  /** `inside`: a URL of this machine that nobody may call. */
  readonly text: (inside: string) => string
}

const entities = (count: number): string =>
  Array.from({ length: count }, (_, at) =>
    at === 0 ? '<!ENTITY e0 "aaaaaaaaaa">' : `<!ENTITY e${at} "${`&e${at - 1};`.repeat(10)}">`,
  ).join('')
const sdn = (doctype: string, text: string): string =>
  `<?xml version="1.0"?>${doctype}<sdnList><sdnEntry><uid>1</uid><lastName>${text}</lastName></sdnEntry></sdnList>`

const lists: Readonly<Record<string, List>> = {
  'entities that grow to a billion': {
    format: 'ofac-xml',
    text: () => sdn(`<!DOCTYPE sdnList [${entities(10)}]>`, '&e9;'),
  },
  'an entity of a file': {
    format: 'ofac-xml',
    text: () => sdn('<!DOCTYPE sdnList [<!ENTITY f SYSTEM "file:///etc/passwd">]>', '&f;'),
  },
  'an entity of a URL': {
    format: 'ofac-xml',
    text: (inside) => sdn(`<!DOCTYPE sdnList [<!ENTITY % u SYSTEM "${inside}">%u;]>`, 'x'),
  },
  'a text of 8 MB': { format: 'ofac-xml', text: () => sdn('', 'a'.repeat(8_000_000)) },
  'a line of 8 MB': { format: 'csv', text: () => HEADING + 'a'.repeat(8_000_000) },
  'a quote without an end': { format: 'csv', text: () => `${HEADING}"${'a\n'.repeat(4_000_000)}` },
  '50,000 sources': {
    format: 'csv',
    text: () =>
      HEADING +
      Array.from({ length: 50_000 }, (_, at) => rowOf(at).replace('attacked_list', `s${at}`)).join(''),
  },
  'lists of lists': {
    ...{ format: 'explorer-json', category: 'scam', chain: 'ETH' },
    text: () => '['.repeat(4_000_000) + ']'.repeat(4_000_000),
  },
  'aliases that grow to a billion': {
    format: 'tagpack',
    text: () =>
      `title: x\ncreator: y\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(10)}]\n`).join('')}tags:\n  - address: '0x${'7'.repeat(40)}'\n    label: *a9\n    currency: ETH\n`,
  },
  'a zip file': { format: 'csv', text: () => 'PK\u0003\u0004\u0000\u0000' },
  'a gzip file': { format: 'ftm', text: () => '\u001f\u008b\u0008\u0000' },
}

/** Sends the list in parts and resolves to what became of it once it was looked at. */
async function lookedAt(
  client: Client,
  {
    format,
    category,
    chain,
    bytes,
  }: Pick<List, 'format' | 'category' | 'chain'> & { readonly bytes: Buffer },
): Promise<{
  readonly path: string
  readonly status: string
  readonly result: { readonly code?: string; readonly removals?: number } | null
}> {
  const send = async (path: string, body?: object): Promise<string> => {
    const { status, text } = await client.send(
      'POST',
      path,
      body === undefined ? undefined : JSON.stringify(body),
    )
    if (status >= 300) throw new Error(`POST ${path} is answered ${status}: ${text}`)
    return text
  }
  const order = {
    format,
    dataset: 'attacked',
    ...(category === undefined ? {} : { category }),
    ...(chain === undefined ? {} : { chain }),
  }
  const { import_id: id } = JSON.parse(await send(IMPORTS, order)) as { import_id: string }
  const path = `${IMPORTS}/${id}`
  for (let part = 0; part * PART_BYTES < bytes.length; part += 1) {
    const content = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES).toString('base64')
    await send(`${path}/parts`, { part, content })
  }
  await send(`${path}/check`)
  return await ended(client, path)
}

async function ended(client: Client, path: string) {
  return await until(`the end of ${path}`, TIMEOUT_MS, async () => {
    const order = JSON.parse((await client.send('GET', path)).text) as {
      status: string
      result: { code?: string; removals?: number } | null
    }
    return order.status !== 'checking' && order.status !== 'importing' && { path, ...order }
  })
}

async function withOperator(target: Target, attack: (client: Client) => ReturnType<Attack['run']>) {
  const { home } = target.installation
  const { accountId } = await createTenant(home, 'Operator')
  const client = createClient([target.baseUrl], await issueKey(home, accountId, ['--scope', 'operator']))
  try {
    return await attack(client)
  } finally {
    await client.close()
    await asOwner(target, 'DELETE FROM labels.list_order')
  }
}

export const sentLists: readonly Attack[] = [
  {
    name: `${Object.keys(lists).length} lists over the API that grow, nest, never end or name files`,
    threat: 'cost',
    run: (target) =>
      withOperator(target, async (client) => {
        let reached = 0
        const inside = await listening((_request, response) => {
          reached += 1
          response.end('x')
        })
        try {
          const beforeMib = residentMib(apiPid(target))
          const notRefused: string[] = []
          const sending = (async () => {
            for (const [name, { text, ...list }] of Object.entries(lists)) {
              const order = await lookedAt(client, {
                ...list,
                bytes: Buffer.from(text(urlOf(inside)), name.endsWith('file') ? 'latin1' : 'utf8'),
              })
              if (order.status !== 'refused') notRefused.push(`${name} (${order.status})`)
              await asOwner(target, 'DELETE FROM labels.list_order')
            }
          })()
          const { held, ...outcome } = await whileHeld(target, [])
          await sending
          const grewMib = residentMib(apiPid(target)) - beforeMib
          return {
            limit: `${outcome.limit}; all refused, no call inside, at most ${MAX_GROWTH_MIB} MiB more`,
            measured: `${outcome.measured}; not refused: ${notRefused.join(', ') || 'none'}; ${reached} calls inside, ${grewMib} MiB more`,
            held: held && notRefused.length === 0 && reached === 0 && grewMib <= MAX_GROWTH_MIB,
          }
        } finally {
          closed(inside)
        }
      }),
  },
  {
    name: 'a list over the API that would remove every label of its set',
    threat: 'forgery',
    run: (target) =>
      withOperator(target, async (client) => {
        const whole = Buffer.from(HEADING + Array.from({ length: 4_000 }, (_, at) => rowOf(at)).join(''))
        const first = await lookedAt(client, { format: 'csv', bytes: whole })
        if (first.status === 'checked') {
          await client.send('POST', `${first.path}/confirm`, '{}')
          await ended(client, first.path)
        }
        const { path, status, result } = await lookedAt(client, {
          format: 'csv',
          bytes: Buffer.from(HEADING + rowOf(9_999)),
        })
        const attempts = [{}, { accept_removals: 1, reason: 'x' }, { accept_removals: 4_000 }]
        for (const attempt of attempts) {
          await client.send('POST', `${path}/confirm`, JSON.stringify(attempt))
          await ended(client, path)
        }
        const { label } = await screenedLabel(target)
        return {
          limit: 'refused, also with another number and without a reason; its labels count',
          measured: `${status}, ${result?.removals ?? 'no'} removals named; labels count: ${label ? 'yes' : 'NO'}`,
          held: status === 'refused' && result?.removals === 4_000 && label,
        }
      }),
  },
]

/** Whether the first label of the set still counts. */
async function screenedLabel({ installation }: Target): Promise<{ readonly label: boolean }> {
  const address = rowOf(0).split(',')[0]!
  const { items } = (await answerOf(installation.home, ['labels', 'show', address])) as {
    items: readonly unknown[]
  }
  return { label: items.length > 0 }
}
