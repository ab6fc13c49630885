/** The events that a report names by hash, read from the log of an installation. */
import { topicOf, type ReportGenerated } from '@cupel/contracts'
import { compiledDefaultPolicy, type SharedInputs } from '@cupel/domain'
import type { Installation } from './installation.js'

export async function sharedInputs(
  { codec, records }: Installation,
  { inputs }: ReportGenerated,
): Promise<SharedInputs> {
  const record = (await records(topicOf('LabelStateRecorded'))).find(
    ({ key }) => key === inputs.labelStateSha256,
  )
  const event = record === undefined ? null : codec.decodeAs('LabelStateRecorded', record)
  if (event === null) throw new Error(`No label state with the hash ${inputs.labelStateSha256}`)
  return { labelState: event.data, policyDocument: compiledDefaultPolicy.canonical }
}
