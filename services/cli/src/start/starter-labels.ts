/** A new installation gets the starter labels, so that its first screen has findings. */
import { noMetrics, type Logger } from '@cupel/contracts'
import { importStarterLabels } from '@cupel/labels'
import { CommandError } from '@cupel/command-line'
import type { Stack } from '@cupel/command-line/installation'

/** Imports them once; later only the operator changes them. The projector must run. */
export async function ensureStarterLabels(
  { log, codec, database }: Stack,
  { logger, note }: { readonly logger: Logger; readonly note: (sentence: string) => void },
): Promise<void> {
  const result = await importStarterLabels({
    log,
    codec,
    database,
    logger,
    metrics: noMetrics,
    labelView: 'elsewhere',
  })
  if (result === null) return
  if (result.status === 'refused')
    throw new CommandError(`Cannot import the starter labels: ${result.message}.`)
  note(`Imported ${result.added} starter labels.`)
}
