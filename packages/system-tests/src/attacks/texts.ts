/** Texts that a caller writes where nobody expects a name: none may be readable in a file of the installation. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '../client.js'
import { endedJob, submitJob } from '../bulk-client.js'
import { checkout } from '../installation.js'
import type { Attack } from './attack.js'
import { answerOf, createTenant, type Target } from './target.js'

const LABELLED = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const JOB_TIMEOUT_MS = 120_000
/** The URL of an endpoint is called, so it is kept until an erasure empties its row. Its origin stays in the log (docs/reference/text-fields.md). */
const KEPT = ['url']

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema; example: unknown }>> }
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[]
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export const texts: readonly Attack[] = [
  {
    name: 'a name in every text of every endpoint',
    threat: 'exposure',
    // A proxy stores nothing.
    concerns: ({ proxy }) => proxy === null,
    async run(target) {
      const { baseUrl, installation } = target
      const marker = `Jane${randomBytes(6).toString('hex')}`
      const { accountId, key } = await createTenant(installation.home, `${marker}account`)
      const client = createClient([baseUrl], key)
      const copies = mkdtempSync(join(tmpdir(), 'cupel-copies-'))
      try {
        const ids = await objectsOf(client)
        const written = await writeEverywhere(client, ids, marker)
        const job = await submitJob(client, [LABELLED, `${marker}row`], `texts-${marker.slice(4)}`)
        await endedJob(client, job.job_id, JOB_TIMEOUT_MS)
        const before = await foundIn(target, { copies, marker, name: 'before' })
        await answerOf(installation.home, ['accounts', 'erase', accountId, '--reason', `${marker}reason`])
        const after = await foundIn(target, { copies, marker, name: 'after' })
        return {
          limit:
            'no file, table, record, archive or support bundle holds it as it was written, before or after an erasure',
          measured: `${written} texts written; found ${[...before, ...after].join(', ') || 'none'}`,
          held: before.length + after.length === 0 && written > 20,
        }
      } finally {
        await client.close()
        rmSync(copies, { recursive: true, force: true })
      }
    },
  },
]

interface Copies {
  readonly copies: string
  readonly marker: string
  readonly name: string
}

/** Makes an archive and a support bundle, and searches them and the home. Throws if the search finds not even what is public. */
async function foundIn(
  { installation: { home }, scanFiles }: Target,
  { copies, marker, name }: Copies,
): Promise<string[]> {
  await answerOf(home, ['archive', 'create', join(copies, name)])
  await answerOf(home, ['support-bundle', '--output', join(copies, `${name}.tar.gz`)])
  return [home, copies].flatMap((folder) => {
    const found = scanFiles(folder, [marker, LABELLED]).found
    const isPublic = (one: string): boolean => one.startsWith(LABELLED)
    if (!found.some(isPublic)) throw new Error(`Nothing in ${folder} has the screened address`)
    return found.filter((one) => !isPublic(one)).map((one) => `${name}: ${one}`)
  })
}

/** Ids of objects of the caller, by the path parameters that take them. */
async function objectsOf(client: Client): Promise<Readonly<Record<string, string>>> {
  const report = JSON.parse((await client.screen(LABELLED)).text) as { report_id: string }
  const job = await submitJob(client, [LABELLED], `texts-${randomBytes(6).toString('hex')}`)
  return { report_id: report.report_id, job_id: job.job_id }
}

/** Calls every operation once for each of its texts, with a marker of its own in it. Returns how many there were. */
async function writeEverywhere(
  client: Client,
  ids: Readonly<Record<string, string>>,
  marker: string,
): Promise<number> {
  const { paths, components } = JSON.parse(
    readFileSync(join(checkout, 'docs/reference/openapi.json'), 'utf8'),
  ) as Description
  let written = 0
  const next = (): string => `${marker}x${(written += 1)}`
  for (const [path, operations] of Object.entries(paths))
    for (const method of METHODS) {
      const operation = operations[method.toLowerCase()]
      if (operation === undefined) continue
      const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? next())
      const send = (to: string, body?: unknown) =>
        client.send(method, to, body === undefined ? undefined : JSON.stringify(body), {
          'user-agent': next(),
          referer: next(),
          'idempotency-key': next(),
        })
      for (const { in: where, name, schema } of operation.parameters ?? [])
        if (where === 'query' && isText(schema)) await send(`${place}?${name}=${next()}`)
      const json = operation.requestBody?.content['application/json']
      if (json === undefined) await send(place)
      else
        for (const body of variants(json.schema, json.example, { components, next })) await send(place, body)
    }
  return written
}

interface Walk {
  readonly components: Description['components']
  readonly next: () => string
}

const isText = ({ type, anyOf }: Schema): boolean =>
  [type].flat().includes('string') || (anyOf ?? []).some(isText)

/** The example once for each text of its schema, with a marker in that place; texts that the example lacks are added. */
function variants(schema: Schema, example: unknown, walk: Walk): unknown[] {
  const { $ref, properties, items, anyOf } = schema
  if ($ref !== undefined) return variants(walk.components.schemas[$ref.split('/').at(-1)!]!, example, walk)
  if (properties !== undefined) {
    const given = (example ?? {}) as Readonly<Record<string, unknown>>
    return Object.entries(properties).flatMap(([name, of]) =>
      KEPT.includes(name)
        ? []
        : variants(of, given[name], walk).map((value) => ({ ...given, [name]: value })),
    )
  }
  if (items !== undefined) {
    const [first, ...others] = (example ?? [undefined]) as readonly unknown[]
    return variants(items, first, walk).map((value) => [value, ...others])
  }
  if (anyOf !== undefined) return anyOf.flatMap((one) => variants(one, example, walk))
  return isText(schema) ? [walk.next()] : []
}

/** Every file of the installation. Leaves out those that a running process removes meanwhile. */
export function* filesOf(home: string): Generator<readonly [path: string, bytes: Buffer]> {
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && statSync(path, { throwIfNoEntry: false }) !== undefined)
      yield [path, readFileSync(path)]
  }
}
