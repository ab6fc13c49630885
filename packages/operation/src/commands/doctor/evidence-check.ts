/** The check of `cupel doctor` that nothing can be altered unseen: MACs, leaves, witnesses, archives and signatures. */
import { topicSpecs } from '@cupel/contracts'
import { areRecordKeysRegistered, type EventLog } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import {
  isLogSigned,
  readArchives,
  readCosigning,
  readStanding,
  unpublishedKeys,
} from '@cupel/evidence/transparency'
import { loadCodec } from '@cupel/command-line/installation'
import { readStandstills, type Standstill, type StandstillParts } from '../../health/index.js'
import { fault, INSTALL, ok, warning, type Check, type Examined, type Finding } from './examine.js'

type Found = Omit<Finding, 'name'>

export const evidenceCheck = (examined: Examined): Check => ({
  name: 'evidence',
  needs: ['log'],
  async look() {
    const { database, log } = examined
    return [
      (await areRecordKeysRegistered(database, await log.identity()))
        ? ok('Records of other producers are refused.')
        : fault('No record keys are registered for this log: no service starts.', INSTALL),
      await signatureFinding(examined),
      ...(await leafFindings(examined)),
      ...(await archiveFindings(examined)),
    ]
  },
})

/** Whether records get leaves, and witnesses cosign: what has stopped is a fault. */
async function leafFindings({ database, log, signingKeys }: Examined): Promise<Found[]> {
  const standstills = await standstillFaults({ database, log }, ['transparency log', 'witnesses'])
  if (standstills.length > 0) return standstills
  const standing = await readStanding(database, log, topicSpecs)
  if (standing === null)
    return signingKeys === null
      ? []
      : [warning('No record has a leaf of the transparency log yet.', 'Start the projector.')]
  return [
    ok(`${standing.leaves} records have leaves of the transparency log, and ${standing.unleafed} wait.`),
    ...(await witnessFindings(database, log)),
  ]
}

/** Without signing keys no archive can be made. */
async function archiveFindings({ database, log, signingKeys }: Examined): Promise<Found[]> {
  const late = await standstillFaults({ database, log }, ['archive'])
  const archives = await readArchives(database, await log.identity())
  if (late.length > 0) return late
  const made = archives.filter(({ madeAgeMs }) => madeAgeMs !== null)
  if (made.length > 0) return [ok(`${made.length} archives of the log are kept.`)]
  return signingKeys === null ? [] : [warning('No archive of the log is made.', 'docs/archive.md')]
}

/** Returns nothing if no witness is asked. */
async function witnessFindings(database: Database, log: EventLog): Promise<Found[]> {
  const state = await readCosigning(database, await log.identity())
  if (state === null) return []
  const failing = state.witnesses.filter(({ failure }) => failure !== null)
  if (failing.length === 0)
    return [ok(`${state.witnesses.length} witnesses cosign the checkpoints of the transparency log.`)]
  const said = failing.map(({ name, failure }) => `${name}: ${failure}`).join('; ')
  return [
    warning(
      `A witness does not cosign the checkpoints of the transparency log (${said}).`,
      'docs/runbooks/the-transparency-log-stopped.md',
    ),
  ]
}

async function signatureFinding({ database, log, signingKeys: keys }: Examined): Promise<Found> {
  if (keys === null)
    return (await isLogSigned({ database, log, codec: await loadCodec(database) }))
      ? fault(
          'The log is signed and its key is missing: no scorer begins.',
          'Restore the file of CUPEL_SIGNING_KEYS_FILE from its backup.',
        )
      : warning(
          'Neither checkpoints nor records of public topics are signed: a change of the log may go unseen.',
          'Make a file with `cupel log rotate-signing-key`, set CUPEL_SIGNING_KEYS_FILE and CUPEL_CHECKPOINT_FOLDER, and restart the services.',
        )
  const [unpublished] = await unpublishedKeys(database, keys)
  if (unpublished !== undefined) return fault(`The signing key ${unpublished} is not in the log.`, INSTALL)
  return ok(`Checkpoints and records are signed with the key ${keys.signer.key.id}.`)
}

export async function standstillFaults(
  parts: StandstillParts,
  of: readonly Standstill['part'][],
): Promise<Found[]> {
  const standstills = await readStandstills(parts)
  return standstills
    .filter(({ part }) => of.includes(part))
    .map(({ detail, remedy }) => fault(detail, remedy))
}
