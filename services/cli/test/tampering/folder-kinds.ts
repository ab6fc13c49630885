/** Files of the published tree, of its second folder and of an archive. Somebody with write access to the folder changes them. */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keyNamed, signNote } from '@cupel/signing'
import { callCupel } from '../command-line.js'
import type { Evidence } from './evidence.js'
import { below, flipped, oneOf, otherDigit, type Kind, type Random } from './kinds.js'
import { faultsOf, foreignKeys } from './transparency-kinds.js'

interface Folder {
  readonly surface: Kind['surface']
  readonly name: string
  readonly command: string
  /** In relation to the same changes of other folders. */
  readonly weight: number
  readonly at: (evidence: Evidence) => string
  /** The folder before the last run. */
  readonly older: (evidence: Evidence) => string
  /** Files with a signature of their own. */
  readonly isSigned: RegExp
  /** The files that a reader of the last signature needs. */
  readonly needed: (files: readonly string[]) => readonly string[]
  /** Where somebody puts a file that nobody needs. */
  readonly inserted: (files: readonly string[], random: Random) => string
  /** Whether something is found, and the finding. */
  readonly verify: (evidence: Evidence) => Promise<readonly [isFound: boolean, told: string]>
  /** A finding names the file by this text. */
  readonly named: (evidence: Evidence, file: string) => string
}

async function verifyTree(evidence: Evidence): Promise<readonly [boolean, string]> {
  const verified = await evidence.audit()
  return [verified.problemCount > 0, faultsOf(verified)]
}

async function verifyArchive(evidence: Evidence): Promise<readonly [boolean, string]> {
  const { archive, decided, keysFile, records } = evidence
  const said = await callCupel({ CUPEL_HOME: join(decided.folder, 'none') }, [
    ...['archive', 'verify', archive, '--public-keys', keysFile, '--json'],
    ...['--min-leaves', String(records.length)],
  ])
  const answer = said.out === '' ? null : (JSON.parse(said.out) as ArchiveAnswer)
  const told = `${(said.error as Error | null)?.message ?? ''} ${JSON.stringify(answer?.archive?.faults ?? [])}`
  return [said.error !== null || answer?.is_proven === false, told]
}

interface ArchiveAnswer {
  readonly is_proven: boolean
  readonly archive?: { readonly faults: readonly { readonly file: string }[] }
}

/** The widest tile of each index, and the checkpoint. */
const neededTiles = (files: readonly string[]): string[] => {
  const widthOf = (file: string): number => Number(/\.p\/(\d+)$/.exec(file)?.[1] ?? 256)
  const tileOf = (file: string): string => file.replace(/\.p\/\d+$/, '')
  return files.filter((file) =>
    files.every((other) => tileOf(other) !== tileOf(file) || widthOf(other) <= widthOf(file)),
  )
}

const tree: Omit<Folder, 'name' | 'weight' | 'at' | 'named'> = {
  ...{ surface: 'transparency', command: 'cupel audit verify', isSigned: /^checkpoint$/ },
  older: ({ olderPublished }) => olderPublished,
  needed: neededTiles,
  inserted: (_, random) =>
    join('tile', oneOf(random, ['0', 'entries']), '000.p', `${1 + below(random, 200)}`),
  verify: verifyTree,
}

const folders: readonly Folder[] = [
  {
    ...{ ...tree, name: 'published', weight: 1, at: ({ published }) => published },
    named: ({ published }, file) => join(published, file),
  },
  {
    ...{ ...tree, name: 'second folder', weight: 0.4, at: ({ copy }) => copy },
    named: ({ copy }, file) => join(copy, file),
  },
  {
    ...{ surface: 'archive', name: 'archive', command: 'cupel archive verify', weight: 0.5 },
    ...{ at: ({ archive }) => archive, older: ({ olderArchive }) => olderArchive, isSigned: /^manifests\// },
    // Without the last manifest, only the segments that it named show that it existed.
    needed: (files) => files.filter((file) => file.startsWith('segments/')),
    inserted: (files, random) =>
      oneOf(
        random,
        files.filter((file) => file.startsWith('segments/')),
      ).replace(/\d{16}\.avro$/, `${String(900 + below(random, 99)).padStart(16, '0')}.avro`),
    verify: verifyArchive,
    named: (_, file) => file,
  },
]

interface Changing {
  readonly folder: Folder
  readonly evidence: Evidence
  readonly random: Random
  /** Relative to the folder. */
  readonly files: readonly string[]
  readonly path: (file: string) => string
}

/** Makes the change. A finding must name one of the returned files; the empty one is the folder itself. */
type Change = (changing: Changing) => readonly string[]

/** Changes the contents of one of the files. */
const rewritten =
  (
    of: (changing: Changing) => readonly string[],
    change: (bytes: Buffer, changing: Changing) => Uint8Array | string,
  ): Change =>
  (changing) => {
    const file = oneOf(changing.random, of(changing))
    const path = changing.path(file)
    writeFileSync(path, change(readFileSync(path), changing))
    return [file]
  }

const all = ({ files }: Changing): readonly string[] => files
const signed = ({ files, folder }: Changing): readonly string[] =>
  files.filter((file) => folder.isSigned.test(file))

/** The note, in a file of its own or in a manifest, signed by a key that nobody gave. */
function signedAgain(bytes: Buffer, { evidence }: Changing): string {
  const text = bytes.toString()
  const isManifest = text.startsWith('{')
  const note = isManifest ? (JSON.parse(text) as { note: string }).note : text
  const body = note.slice(0, note.lastIndexOf('\n\n') + 1)
  const { key, sign } = foreignKeys(evidence).signer
  const again = signNote(body, { key: keyNamed(body.slice(0, body.indexOf('\n')), key), sign })
  return isManifest ? text.replace(JSON.stringify(note), JSON.stringify(again)) : again
}

const changes: Readonly<Record<string, readonly [weight: number, change: Change]>> = {
  'a flipped bit of a file': [3, rewritten(all, (bytes, { random }) => flipped(random, bytes))],
  'a file cut off': [
    1,
    rewritten(all, (bytes, { random }) => bytes.subarray(0, below(random, bytes.length))),
  ],
  'a file made longer': [1, rewritten(all, (bytes) => Buffer.concat([bytes, bytes.subarray(0, 32)]))],
  'another digit in a signed file': [
    1,
    rewritten(signed, (bytes, { random }) => otherDigit(bytes.toString(), random)),
  ],
  'a file signed by a replaced key': [1, rewritten(signed, signedAgain)],
  'a file removed': [
    1,
    ({ folder, files, path, random }) => {
      const file = oneOf(random, folder.needed(files))
      rmSync(path(file))
      return [file]
    },
  ],
  'two files exchanged': [
    1,
    ({ files, path, random }) => {
      const at = 1 + below(random, files.length - 1)
      const [one, other] = [files[at - 1]!, files[at]!]
      const bytes = readFileSync(path(one))
      writeFileSync(path(one), readFileSync(path(other)))
      writeFileSync(path(other), bytes)
      return [one, other]
    },
  ],
  'a file inserted': [
    0.5,
    ({ folder, files, path, random }) => {
      const file = folder.inserted(files, random)
      mkdirSync(dirname(path(file)), { recursive: true })
      cpSync(path(oneOf(random, folder.needed(files))), path(file))
      return [file]
    },
  ],
  'an older signed file restored': [
    0.5,
    ({ folder, evidence, path, files }) => {
      const older = folder.older(evidence)
      const last = files.filter((file) => folder.isSigned.test(file)).at(-1)!
      const before = readdirSync(dirname(join(older, last))).filter((name) =>
        folder.isSigned.test(join(dirname(last), name)),
      )
      cpSync(join(older, dirname(last), before.sort().at(-1)!), path(last))
      return [last, '']
    },
  ],
  'an older folder restored': [
    0.5,
    ({ folder, evidence, path }) => {
      rmSync(path(''), { recursive: true })
      cpSync(folder.older(evidence), path(''), { recursive: true })
      // The size of the tree reveals a complete but shorter archive.
      return ['']
    },
  ],
  'the folder removed': [
    0.3,
    ({ path }) => {
      rmSync(path(''), { recursive: true })
      return ['']
    },
  ],
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'lock')
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

/** Changes the folder while `work` runs. */
async function inChanged<T>(folder: string, change: () => void, work: () => Promise<T>): Promise<T> {
  const away = `${folder}.away`
  cpSync(folder, away, { recursive: true })
  try {
    change()
    return await work()
  } finally {
    rmSync(folder, { recursive: true, force: true })
    renameSync(away, folder)
  }
}

export const folderKinds: readonly Kind[] = folders.flatMap((folder) =>
  Object.entries(changes).map(([name, [weight, change]]): Kind => ({
    ...{ surface: folder.surface, name: `${folder.name}: ${name}`, command: folder.command },
    weight: weight * folder.weight,
    async run(evidence, random) {
      const at = folder.at(evidence)
      let changed: readonly string[] = []
      const [isFound, told] = await inChanged(
        at,
        () => {
          const path = (file: string): string => join(at, file)
          changed = change({ folder, evidence, random, files: filesIn(at), path })
        },
        () => folder.verify(evidence),
      )
      const names = (file: string): boolean =>
        told.includes(folder.named(evidence, file)) ||
        (file.startsWith('tile/entries/') && /Leaf \d+ /.test(told))
      return { isFound, isNamed: changed.some(names), detail: `${name} ${changed.join(', ')}: ${told}` }
    },
  })),
)
