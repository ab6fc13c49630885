/** The witnesses of a call: the cosignatures that count, and how many a checkpoint needs. */
import {
  faultOfPolicy,
  parseWitnessKey,
  type Cosignature,
  type WitnessPolicy,
} from '../../transparency/index.js'
import type { Command } from 'commander'
import { CommandError, EXIT_USAGE, wholeNumber } from '@cupel/command-line'

export interface WitnessOptions {
  readonly witness?: readonly string[]
  readonly witnessesNeeded?: number
}

export function addWitnesses(command: Command): Command {
  return command
    .option(
      '--witness <vkey...>',
      'public key of a witness, as the witness publishes it; its cosignature counts, and no other one',
    )
    .option(
      '--witnesses-needed <number>',
      'fail unless so many of them cosigned the checkpoint; by default all',
      wholeNumber,
    )
}

/** Throws a CommandError if a key is invalid, or where no checkpoint could meet the requirement. */
export function witnessPolicyOf({ witness = [], witnessesNeeded }: WitnessOptions): WitnessPolicy {
  const witnesses = witness.map((line) => {
    const key = parseWitnessKey(line)
    if (key === null)
      throw new CommandError(
        `${line} is not a public key of a witness: name, id and key of the type cosignature/v1 (Ed25519), with + between them.`,
        EXIT_USAGE,
      )
    return key
  })
  const policy = { witnesses, needed: witnessesNeeded ?? witnesses.length }
  const fault = faultOfPolicy(policy)
  if (fault !== null) throw new CommandError(fault, EXIT_USAGE)
  return policy
}

export const cosignatureJson = ({ witness, keyId, at }: Cosignature): unknown => ({
  witness,
  key_id: keyId,
  cosigned_at: timeOf(at),
})

export const cosignatureLine = ({ witness, at }: Cosignature): string =>
  `Cosigned by ${witness} at ${timeOf(at)}.`

/** Witnesses state times in seconds. */
const timeOf = (at: number): string => new Date(at * 1_000).toISOString().replace('.000Z', 'Z')
