/** Texts that a caller writes where nobody expects a name: none may be readable anywhere in the installation. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../client.js'
import { endedJob, submitJob } from '../bulk-client.js'
import { LABELLED, markEverything, type Markers } from './marked-calls.js'
import type { Attack } from './attack.js'
import { answerOf, asOwner, createTenant, issueKey, type Target } from './target.js'

const JOB_TIMEOUT_MS = 120_000
/** Far fewer would mean that the calls were refused. */
const MIN_TAKEN = 20

export const texts: readonly Attack[] = [
  {
    name: 'a name in every text of every endpoint',
    threat: 'exposure',
    place: 'store',
    async run(target) {
      const { baseUrl, installation } = target
      const id = randomBytes(6).toString('hex')
      const markers = { sealed: `Jane${id}`, url: `Hook${id}`, kept: `Word${id}` }
      const { home } = installation
      const { accountId } = await createTenant(home, `${markers.sealed}account`)
      const key = await issueKey(home, accountId, ['--scope', 'operator', '--name', `${markers.sealed}key`])
      const client = createClient([baseUrl], key)
      const copies = mkdtempSync(join(tmpdir(), 'cupel-copies-'))
      try {
        const { calls, taken, undecided, accounts } = await markEverything(client, markers)
        const job = await submitJob(client, [LABELLED, `${markers.sealed}row`], `texts-${id}`)
        await endedJob(client, job.job_id, JOB_TIMEOUT_MS)
        const before = await foundIn(target, { copies, markers, name: 'before' })
        for (const account of [accountId, ...accounts])
          await answerOf(home, ['accounts', 'erase', account, '--reason', `${markers.sealed}reason`])
        const after = await foundIn(target, { copies, markers, name: 'after' })
        const urls = (await tablesWith(target, markers.url)).map((table) => `${table} has the path of a URL`)
        const lost = (await tablesWith(target, markers.kept)).length === 0 ? ['no word of an operator'] : []
        const found = [...before, ...after, ...urls, ...lost]
        return {
          limit:
            'no file, table, record, archive, metric, log or support bundle holds it as it was written, before or after an erasure',
          measured: `${calls} texts, ${taken.length} fields took one; undecided: ${undecided.join('; ') || 'none'}; found ${found.join(', ') || 'none'}`,
          held: found.length + undecided.length === 0 && taken.length >= MIN_TAKEN,
        }
      } finally {
        await client.close()
        await asOwner(target, 'DELETE FROM labels.list_order')
        rmSync(copies, { recursive: true, force: true })
      }
    },
  },
]

interface Copies {
  readonly copies: string
  readonly markers: Markers
  readonly name: string
}

/** Makes an archive and a support bundle, keeps metrics and logs, and searches them, the home and the tables. Throws if the search finds not even what is public. */
async function foundIn(target: Target, { copies, markers, name }: Copies): Promise<string[]> {
  const { installation, scanFiles } = target
  const { home, ready } = installation
  await answerOf(home, ['archive', 'create', join(copies, name)])
  await answerOf(home, ['support-bundle', '--output', join(copies, `${name}.tar.gz`)])
  const metrics = await Promise.all(ready.metrics_urls.map(async (url) => await (await fetch(url)).text()))
  if (!metrics.join('').includes('cupel_')) throw new Error('The metrics have no series')
  writeFileSync(join(copies, `${name}-metrics`), metrics.join('\n'))
  writeFileSync(join(copies, `${name}-output`), installation.output())
  const spellings = spellingsOf(markers.sealed)
  const files = [home, copies].flatMap((folder) => {
    // The table of endpoints has the path of a URL, and nothing that leaves the installation has it.
    const wanted = folder === copies ? [...spellings, ...spellingsOf(markers.url)] : spellings
    const found = scanFiles(folder, [...wanted, LABELLED]).found
    const isPublic = (one: string): boolean => one.startsWith(LABELLED)
    if (!found.some(isPublic)) throw new Error(`Nothing in ${folder} has the screened address`)
    return found.filter((one) => !isPublic(one))
  })
  // A long value is compressed in the file of its table.
  const tables = await tablesWith(target, ...spellings)
  return [...files, ...tables].map((one) => `${name}: ${one}`)
}

/** The text as it is, and in base64 at each of its three places. */
function spellingsOf(text: string): readonly string[] {
  const encoded = [0, 1, 2].map((before) => {
    const whole = Buffer.from(' '.repeat(before) + text).toString('base64url')
    return whole.slice(before === 0 ? 0 : before + 1, -3)
  })
  return [text, ...encoded]
}

/** Tables of the database in which a row has one of the texts, also in columns of bytes. */
async function tablesWith(target: Target, ...wanted: readonly string[]): Promise<string[]> {
  // The database logs a statement that fails, and this one ends with an error: no part of it is a whole text.
  const patterns = wanted
    .flatMap((text) => [text, Buffer.from(text).toString('hex')])
    .map((text) => `'%${text.slice(0, 6)}' || '${text.slice(6)}%'`)
  const search = `DO $$ DECLARE one regclass; has boolean; found text := ''; BEGIN
    FOR one IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema') LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM %s AS held WHERE held::text LIKE ANY ($1))', one) INTO has USING ARRAY[${patterns.join(', ')}];
      IF has THEN found := found || one || ' '; END IF;
    END LOOP;
    RAISE EXCEPTION 'searched:%', found; END $$`
  const said = await asOwner(target, search).then(
    () => '',
    (error: unknown) => (error as Error).message,
  )
  const [, found] = /^searched:(.*)$/s.exec(said) ?? []
  if (found === undefined) throw new Error(`The tables cannot be searched: ${said}`)
  return found
    .trim()
    .split(' ')
    .filter((table) => table !== '')
}

/** Every file of the installation. Leaves out those that a running process removes meanwhile. */
export function* filesOf(home: string): Generator<readonly [path: string, bytes: Buffer]> {
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && statSync(path, { throwIfNoEntry: false }) !== undefined)
      yield [path, readFileSync(path)]
  }
}
