/** Files of an archive. An attacker with write access to its folder changes them; an auditor checks them with public keys alone. */
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signNote } from '@cupel/signing'
import { callCupel } from '../command-line.js'
import type { Evidence } from './evidence.js'
import { below, flipped, oneOf, type Kind, type Random } from './kinds.js'
import { foreignKeys } from './transparency-kinds.js'

interface ArchiveAnswer {
  readonly is_proven: boolean
  readonly problem_count: number
  readonly archive: { readonly faults: readonly { readonly file: string; readonly detail: string }[] }
}

/** Manifests of the archive, oldest first. */
const manifestsOf = ({ archive }: Evidence): string[] =>
  readdirSync(join(archive, 'manifests'))
    .sort()
    .map((name) => join('manifests', name))

const filesOf = ({ archive }: Evidence): string[] =>
  readdirSync(archive, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:avro|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(archive.length + 1))
    .sort()

/** Changes a copy of the archive; the findings must name a returned file. */
function kindOf(
  name: string,
  weight: number,
  change: (path: (file: string) => string, random: Random, evidence: Evidence) => readonly string[],
): Kind {
  return {
    ...{ surface: 'archive', name, weight, command: 'cupel archive verify' },
    async run(evidence, random) {
      const { archive, decided, keysFile } = evidence
      const copy = join(decided.folder, 'copy')
      cpSync(archive, copy, { recursive: true })
      const files = change((file) => join(copy, file), random, evidence)
      const said = await callCupel({ CUPEL_HOME: join(decided.folder, 'none') }, [
        ...['archive', 'verify', copy, '--public-keys', keysFile, '--json'],
        ...['--min-leaves', String(evidence.records.length)],
      ])
      rmSync(copy, { recursive: true })
      const answer = said.out === '' ? null : (JSON.parse(said.out) as ArchiveAnswer)
      const told = `${(said.error as Error | null)?.message ?? ''} ${JSON.stringify(answer?.archive.faults ?? [])}`
      return {
        isFound: said.error !== null || answer?.is_proven === false,
        isNamed: files.some((file) => told.includes(file)),
        detail: `${name} ${files.join(', ')}: ${told}`,
      }
    },
  }
}

export const archiveKinds: readonly Kind[] = [
  kindOf('a flipped bit of a file', 1.2, (path, random, evidence) => {
    const file = oneOf(random, filesOf(evidence))
    writeFileSync(path(file), flipped(random, readFileSync(path(file))))
    return [file]
  }),
  kindOf('a segment removed', 0.4, (path, random, evidence) => {
    const file = oneOf(
      random,
      filesOf(evidence).filter((each) => each.startsWith('segments/')),
    )
    rmSync(path(file))
    return [file]
  }),
  kindOf('a file cut off', 0.4, (path, random, evidence) => {
    const file = oneOf(random, filesOf(evidence))
    const bytes = readFileSync(path(file))
    writeFileSync(path(file), bytes.subarray(0, below(random, bytes.length)))
    return [file]
  }),
  kindOf('a file inserted', 0.4, (path, random, evidence) => {
    const file = oneOf(
      random,
      filesOf(evidence).filter((each) => each.startsWith('segments/')),
    )
    const added = file.replace(/\d{16}\.avro$/, `${String(900 + below(random, 99)).padStart(16, '0')}.avro`)
    cpSync(path(file), path(added))
    return [added]
  }),
  kindOf('two files exchanged', 0.4, (path, random, evidence) => {
    const files = filesOf(evidence)
    const at = 1 + below(random, files.length - 1)
    const [one, other] = [files[at - 1]!, files[at]!]
    renameSync(path(one), path('aside'))
    renameSync(path(other), path(one))
    renameSync(path('aside'), path(other))
    return [one, other]
  }),
  kindOf('a manifest signed by a replaced key', 0.4, (path, random, evidence) => {
    const file = oneOf(random, manifestsOf(evidence))
    const text = readFileSync(path(file), 'utf8')
    const { note } = JSON.parse(text) as { note: string }
    const again = signNote(`${note.slice(0, note.lastIndexOf('\n\n'))}\n`, foreignKeys(evidence).signer)
    writeFileSync(path(file), text.replace(JSON.stringify(note), JSON.stringify(again)))
    return [file]
  }),
  kindOf('a manifest that tells another time', 0.4, (path, random, evidence) => {
    const file = oneOf(random, manifestsOf(evidence))
    const text = readFileSync(path(file), 'utf8')
    writeFileSync(path(file), text.replace(/"time":"20/, '"time":"19'))
    return [file]
  }),
  kindOf('an older archive restored', 0.4, (path, _, evidence) => {
    rmSync(path('.'), { recursive: true })
    cpSync(evidence.olderArchive, path('.'), { recursive: true })
    // The size of the tree reveals a complete but shorter archive.
    return ['']
  }),
]
