/** The signing keys and published files of the installation that a command works on. */
import {
  evidenceSettings,
  evidenceStores,
  openPublishedStore,
  TransparencyStoppedError,
  type EvidenceSettings,
  type PublishedStore,
} from '@cupel/evidence/transparency'
import type { Config } from '@cupel/kit/service'
import { SigningKeysError, verifier, type PublicKey, type Verifier } from '@cupel/signing'
import { archivePlace } from './archive/open-store.js'
import { type CliContext, CommandError, EXIT_CONFIG, EXIT_FAILED } from '../index.js'

/** Null if the installation has no signing keys. Throws a CommandError if they cannot be used, or a ConfigError. */
export function installationEvidence(context: CliContext, config: Config): EvidenceSettings | null {
  return ofSettings(() => evidenceSettings({ ...config, CUPEL_HOME: context.home }, context.note))
}

/** The published files at a place that a caller names: a folder, or `s3://bucket/prefix` in the store of the settings. */
export async function publishedAt(context: CliContext, text: string): Promise<PublishedStore> {
  const config = await context.config()
  return ofSettings(() => openPublishedStore(archivePlace(context, text), config, context.note))
}

function ofSettings<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof SigningKeysError)) throw cause
    throw new CommandError(cause.message, EXIT_CONFIG, { cause })
  }
}

/** The references for a comparison of the log: the stores with published leaves, and the signing keys. */
export interface ComparedWith {
  readonly stores: readonly PublishedStore[]
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
    return settings === null ? null : { stores: settings.stores, verifier: settings.keys.verifier }
  }
  // The home of an auditor is not that of the installation.
  const stores = ofSettings(() =>
    evidenceStores({ ...config, CUPEL_HOME: context.home }, context.note).slice(-1),
  )
  return { stores, verifier: verifier(publicKeys) }
}

/** Throws the refusal as a CommandError, and any other error unchanged. */
export function refusedEvidence(cause: unknown): never {
  if (!(cause instanceof TransparencyStoppedError)) throw cause
  throw new CommandError(cause.message, EXIT_FAILED, { cause })
}
