/** Changes tiles, checkpoints and rows of the transparency log, and its second folder. */
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '@cupel/postgres'
import { createSigningKeys, keyNamed, readSigningKeys, signNote } from '@cupel/signing'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import type { Verified } from '@cupel/evidence/commands'
import { rolledBack, type Evidence } from './evidence.js'
import { below, flipped, oneOf, type Found, type Kind, type Random } from './kinds.js'
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

/** Changes one file while `work` runs. */
async function withFile<T>(
  file: string,
  change: (bytes: Buffer) => Buffer | null,
  work: () => Promise<T>,
): Promise<T> {
  const bytes = readFileSync(file)
  const changed = change(bytes)
  if (changed === null) rmSync(file)
  else writeFileSync(file, changed)
  try {
    return await work()
  } finally {
    writeFileSync(file, bytes)
  }
}

const tilesOf = (published: string): string[] =>
  readdirSync(join(published, 'tile'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

/** The widest tile of each index: a reader of the last checkpoint needs them. */
const neededTiles = (published: string): string[] => {
  const files = tilesOf(published)
  const widthOf = (file: string): number => Number(/\.p\/(\d+)$/.exec(file)?.[1] ?? 256)
  const tileOf = (file: string): string => file.replace(/\.p\/\d+$/, '')
  return files.filter((file) =>
    files.every((other) => tileOf(other) !== tileOf(file) || widthOf(other) <= widthOf(file)),
  )
}

/** A finding names a tile by its file, or by its first differing leaf. */
const namesTile = (verified: Verified, file: string): boolean =>
  faultsOf(verified).includes(file) || (file.includes('/entries/') && /Leaf \d+ /.test(faultsOf(verified)))

function tileKind(
  name: string,
  weight: number,
  change: (bytes: Buffer, random: Random) => Buffer | null,
  files = tilesOf,
): Kind {
  return {
    ...{ surface: 'transparency', name, weight, command },
    async run(evidence, random) {
      const file = oneOf(random, files(evidence.published))
      const verified = await withFile(
        file,
        (bytes) => change(bytes, random),
        () => evidence.audit(),
      )
      return foundFault(verified, `${name} ${file}`, namesTile(verified, file))
    },
  }
}

/** Changes the checkpoint file; a finding names its path. */
function checkpointKind(
  name: string,
  change: (evidence: Evidence, bytes: Buffer, random: Random) => Buffer | null,
): Kind {
  return {
    ...{ surface: 'transparency', name, weight: 1, command },
    async run(evidence, random) {
      const file = join(evidence.published, 'checkpoint')
      const verified = await withFile(
        file,
        (bytes) => change(evidence, bytes, random),
        () => evidence.audit(),
      )
      const told = faultsOf(verified)
      return foundFault(verified, name, told.includes(file) || told.includes(evidence.published))
    },
  }
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

const fileKinds: readonly Kind[] = [
  tileKind('a flipped bit of a tile', 4, (bytes, random) => flipped(random, bytes)),
  tileKind('a tile removed', 1, () => null, neededTiles),
  tileKind('a tile cut off', 1, (bytes, random) => bytes.subarray(0, below(random, bytes.length))),
  tileKind('a tile made longer', 1, (bytes) => Buffer.concat([bytes, bytes.subarray(0, 32)])),
  {
    ...{ surface: 'transparency', name: 'two tiles exchanged', weight: 1, command },
    async run(evidence, random) {
      const files = neededTiles(evidence.published)
      const at = below(random, files.length)
      const [one, other] = [files[at]!, files[(at + 1) % files.length]!]
      const bytes = readFileSync(other)
      const verified = await withFile(
        other,
        () => readFileSync(one),
        () =>
          withFile(
            one,
            () => bytes,
            () => evidence.audit(),
          ),
      )
      return foundFault(
        verified,
        `exchanged ${one} ${other}`,
        namesTile(verified, one) || namesTile(verified, other),
      )
    },
  },
  {
    ...{ surface: 'transparency', name: 'a narrower tile inserted', weight: 0.5, command },
    async run(evidence, random) {
      const file = join(
        evidence.published,
        'tile',
        oneOf(random, ['0', 'entries']),
        '000.p',
        `${1 + below(random, 200)}`,
      )
      cpSync(join(evidence.published, 'tile', '0', '000'), file)
      const verified = await evidence.audit()
      rmSync(join(file, '..'), { recursive: true })
      return foundFault(verified, `inserted ${file}`, namesTile(verified, file))
    },
  },
  {
    ...{ surface: 'transparency', name: 'an older folder restored', weight: 0.5, command },
    async run(evidence) {
      const { published, olderPublished } = evidence
      renameSync(published, `${published}.away`)
      cpSync(olderPublished, published, { recursive: true })
      const verified = await evidence.audit()
      rmSync(published, { recursive: true })
      renameSync(`${published}.away`, published)
      return foundFault(verified, 'an older folder', faultsOf(verified).includes(published))
    },
  },
  checkpointKind('a flipped bit of the checkpoint', (_, bytes, random) => flipped(random, bytes)),
  checkpointKind('the checkpoint removed', () => null),
  checkpointKind('an older checkpoint', ({ olderPublished }) =>
    readFileSync(join(olderPublished, 'checkpoint')),
  ),
  checkpointKind('the checkpoint signed by a replaced key', (evidence, bytes) => {
    const note = bytes.toString()
    const text = note.slice(0, note.indexOf('\n\n') + 1)
    const { key, sign } = foreignKeys(evidence).signer
    return Buffer.from(signNote(text, { key: keyNamed(text.slice(0, text.indexOf('\n')), key), sign }))
  }),
]

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

/** Changes the second folder; a finding names it. */
function copyKind(name: string, change: (evidence: Evidence, random: Random) => void): Kind {
  return {
    ...{ surface: 'transparency', name, weight: 0.8, command },
    async run(evidence, random) {
      const { copy } = evidence
      cpSync(copy, `${copy}.away`, { recursive: true })
      change(evidence, random)
      const verified = await evidence.audit()
      rmSync(copy, { recursive: true, force: true })
      renameSync(`${copy}.away`, copy)
      return foundFault(verified, name, faultsOf(verified).includes(copy))
    },
  }
}

const copyKinds: readonly Kind[] = [
  copyKind('an older second folder restored', ({ copy, olderPublished }) => {
    rmSync(copy, { recursive: true })
    cpSync(olderPublished, copy, { recursive: true })
  }),
  copyKind('an older checkpoint in the second folder', ({ copy, olderPublished }) =>
    cpSync(join(olderPublished, 'checkpoint'), join(copy, 'checkpoint')),
  ),
  copyKind('the second folder removed', ({ copy }) => rmSync(copy, { recursive: true })),
  copyKind('a flipped bit of a tile in the second folder', ({ copy, published }, random) => {
    const file = oneOf(random, neededTiles(published))
    writeFileSync(join(copy, file.slice(published.length)), flipped(random, readFileSync(file)))
  }),
]

/** Changes the file with the signing key; a finding, or the refusal to use it, names the file or the checkpoints that do not count. */
function keyKind(name: string, change: (evidence: Evidence, text: string, random: Random) => string): Kind {
  return {
    ...{ surface: 'transparency', name, weight: 0.5, command },
    async run(evidence, random) {
      const file = join(evidence.decided.folder, SIGNING_KEYS_FILE)
      const audit = () => evidence.audit().catch((error: unknown) => error as Error)
      const result = await withFile(
        file,
        (bytes) => Buffer.from(change(evidence, bytes.toString(), random)),
        audit,
      )
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

export const transparencyKinds: readonly Kind[] = [...fileKinds, ...rowKinds, ...copyKinds, ...keyKinds]
