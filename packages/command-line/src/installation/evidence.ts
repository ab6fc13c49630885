/** The signing keys and published files of the installation that a command works on. */
import {
  evidenceFolders,
  evidenceSettings,
  TransparencyStoppedError,
  type EvidenceSettings,
} from '@cupel/evidence/transparency'
import type { Config } from '@cupel/kit/service'
import { SigningKeysError, verifier, type PublicKey, type Verifier } from '@cupel/signing'
import { type CliContext, CommandError, EXIT_CONFIG, EXIT_FAILED } from '../index.js'

/** Null if the installation has no signing keys. Throws a CommandError if they cannot be used, or a ConfigError. */
export function installationEvidence(context: CliContext, config: Config): EvidenceSettings | null {
  try {
    return evidenceSettings({ ...config, CUPEL_HOME: context.home })
  } catch (cause) {
    if (!(cause instanceof SigningKeysError)) throw cause
    throw new CommandError(cause.message, EXIT_CONFIG, { cause })
  }
}

/** The references for a comparison of the log: the folders with published leaves, and the signing keys. */
export interface ComparedWith {
  readonly folders: readonly string[]
  readonly verifier: Verifier
}

/** With the keys of an auditor only the files of the installation are read. Null without keys. */
export function comparedWith(
  context: CliContext,
  config: Config,
  publicKeys: readonly PublicKey[] | null,
): ComparedWith | null {
  if (publicKeys === null) {
    const settings = installationEvidence(context, config)
    return settings === null ? null : { folders: settings.folders, verifier: settings.keys.verifier }
  }
  // The home of an auditor is not that of the installation.
  const folders = evidenceFolders({ ...config, CUPEL_HOME: context.home }).slice(-1)
  return { folders, verifier: verifier(publicKeys) }
}

/** Throws the refusal as a CommandError, and any other error unchanged. */
export function refusedEvidence(cause: unknown): never {
  if (!(cause instanceof TransparencyStoppedError)) throw cause
  throw new CommandError(cause.message, EXIT_FAILED, { cause })
}
