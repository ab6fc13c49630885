/** Changes several rows of the transparency log together, and the file with its keys. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '@cupel/postgres'
import { createSigningKeys, readSigningKeys } from '@cupel/signing'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import type { Verified } from '@cupel/evidence/commands'
import { rolledBack, type Evidence } from './evidence.js'
import { below, oneOf, type Found, type Kind, type Random } from './kinds.js'
import { said } from './log-kinds.js'

const command = 'cupel audit verify'

export const faultsOf = ({ leaves }: Pick<Verified, 'leaves'>): string =>
  (leaves?.comparison?.faults ?? []).map(({ detail }) => detail).join('\n')

function foundFault(verified: Verified, done: string, isNamed: boolean): Found {
  return { isFound: verified.problemCount > 0, isNamed, detail: `${done}: ${said(verified)}` }
}

/** A finding names a leaf by its index, alone or as one of a range of records. */
export function namesLeaf(verified: Pick<Verified, 'leaves'>, index: number): boolean {
  const problems = verified.leaves?.comparison?.problems ?? []
  return (
    new RegExp(`[Ll]eaf ${index}\\b`).test(faultsOf(verified)) ||
    problems.some(
      (each) => each.index !== null && each.index <= index && index < each.index + each.to - each.offset,
    )
  )
}

const FOREIGN_KEYS_FILE = 'foreign-keys.json'
let foreign: ReturnType<typeof readSigningKeys> | null = null
/** Keys of another installation, which has the same name. */
export function foreignKeys({ decided }: Evidence): NonNullable<typeof foreign> {
  const file = join(decided.folder, FOREIGN_KEYS_FILE)
  if (foreign === null) createSigningKeys(file)
  foreign ??= readSigningKeys(file)
  return foreign
}

/** Several rows that are changed together; row-kinds.ts changes single ones. */
function rowKind(
  name: string,
  change: (database: Database, index: number, random: Random, evidence: Evidence) => Promise<unknown>,
  isNamed: (verified: Verified, index: number) => boolean = namesLeaf,
): Kind {
  return {
    ...{ surface: 'transparency', name, weight: 0.8, command },
    async run(evidence, random) {
      const { database } = evidence.decided
      const [{ size }] = (await database.query<{ size: number }>('SELECT size FROM transparency.log')) as [
        { size: number },
      ]
      const index = below(random, size)
      const verified = await rolledBack(database, async (transaction) => {
        await change(transaction, index, random, evidence)
        return await evidence.audit({ database: transaction })
      })
      return foundFault(verified, `${name}, leaf ${index}`, isNamed(verified, index))
    },
  }
}

const ofDatabase = (verified: Verified): boolean => /[Dd]atabase/.test(faultsOf(verified))

const rowKinds: readonly Kind[] = [
  rowKind('two leaves exchanged', async (database, index) => {
    const next = index === 0 ? 1 : index - 1
    await database.execute(
      `UPDATE transparency.leaf l SET entry = o.entry, place = o.place, record_offset = o.record_offset, document_id = o.document_id, salt = o.salt FROM transparency.leaf o
        WHERE l.index IN ($1, $2) AND o.index IN ($1, $2) AND o.index <> l.index`,
      [index, next],
    )
  }),
  rowKind(
    'an older database restored',
    async (database, _, __, { olderPublished }) => {
      const note = readFileSync(join(olderPublished, 'checkpoint'), 'utf8')
      const size = Number(note.split('\n')[1])
      await database.execute('DELETE FROM transparency.leaf WHERE index >= $1', [size])
      await database.execute('UPDATE transparency.log SET size = $1, checkpoint = $2', [size, note])
    },
    ofDatabase,
  ),
  rowKind(
    'a position moved back',
    (database) =>
      database.execute(
        `UPDATE projection.checkpoint SET next = next - 1 WHERE group_name = 'projector.transparency.v1' AND next > 100`,
      ),
    (verified) => faultsOf(verified).includes('has leaves up to offset'),
  ),
]

/** Changes the file with the signing key; a finding, or the refusal to use it, names the file or the checkpoints that do not count. */
function keyKind(name: string, change: (evidence: Evidence, text: string, random: Random) => string): Kind {
  return {
    ...{ surface: 'transparency', name, weight: 0.5, command },
    async run(evidence, random) {
      const file = join(evidence.decided.folder, SIGNING_KEYS_FILE)
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, change(evidence, text, random))
      const result = await evidence.audit().catch((error: unknown) => error as Error)
      writeFileSync(file, text)
      if (result instanceof Error)
        return { isFound: true, isNamed: result.message.includes(file), detail: `${name}: ${result.message}` }
      return foundFault(result, name, faultsOf(result).includes(`${evidence.published}/checkpoint`))
    },
  }
}

const keyKinds: readonly Kind[] = [
  keyKind('the keys of another installation', (evidence) => {
    foreignKeys(evidence)
    return readFileSync(join(evidence.decided.folder, FOREIGN_KEYS_FILE), 'utf8')
  }),
  keyKind('a character of the file of keys', (_, text, random) => {
    const values = [...text.matchAll(/"(?:name|active|id|publicKey)": "([^"]+)"/g)]
    const { 0: whole, 1: value = '', index } = oneOf(random, values)
    // The last characters of base64 have bits that count for nothing.
    const at = index + whole.indexOf(value, whole.indexOf(':')) + below(random, value.length - 2)
    return `${text.slice(0, at)}${text[at] === 'b' ? 'c' : 'b'}${text.slice(at + 1)}`
  }),
]

export const transparencyKinds: readonly Kind[] = [...rowKinds, ...keyKinds]
