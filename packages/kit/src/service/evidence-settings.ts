/** Settings of the evidence that nothing was altered: keys, checkpoints and witnesses. */
import { z } from 'zod'
import { flag, milliseconds } from './setting-types.js'

export const settingsOfEvidence = {
  CUPEL_SIGNING_KEYS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File with the signing keys, for installations on several machines; by default signing-keys.json in CUPEL_HOME. The API, scorers, bulk coordinators, projectors and commands that sign need it. Without keys the log has no tree, and records of public topics are not signed.',
    ),
  CUPEL_LOG_PREFIX: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]*(?::[0-9]+)?(?:\/[\w.~-]+)*$/)
    .optional()
    .describe(
      'Name of the signing keys, and beginning of the name of the transparency log: the URL under which the published files are hosted, without scheme and last slash (log.example.com/cupel). It counts when the first keys are made, and never changes; by default the name is drawn.',
    ),
  CUPEL_LOG_IS_PUBLIC: flag
    .default(false)
    .describe(
      'True if the API answers calls for the checkpoint and the tiles of the transparency log without a key. They name nothing in clear. A few such reads are under way at once, after the screens of customers; further ones wait, or get 503.',
    ),
  CUPEL_CHECKPOINT_FOLDER: z
    .string()
    .regex(/^(?:\/|s3:\/\/)/, 'expected the path of a folder from the root, or s3://bucket/prefix')
    .optional()
    .describe(
      'Place that gets a copy of the published files of the transparency log: the absolute path of a folder, best on another volume, or `s3://bucket/prefix` in the store of CUPEL_S3_ENDPOINT. Projectors need it with CUPEL_SIGNING_KEYS_FILE, and all of them share it then.',
    ),
  CUPEL_CHECKPOINT_INTERVAL_MS: milliseconds(100, 86_400_000)
    .default(10_000)
    .describe(
      'Longest time between two checkpoints of the transparency log, at most 5 s; none is made where nothing is new.',
    ),
  CUPEL_WITNESSES_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'JSON file with the witnesses that cosign the checkpoints of the transparency log (docs/proofs.md). Only projectors read it, at their start. Without it nobody is asked.',
    ),
} as const
