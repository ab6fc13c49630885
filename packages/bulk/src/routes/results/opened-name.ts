/** The name of a job as its account reads it: `erased` once the key of the account is destroyed. */
import { maySeal, type PersonalData } from '@cupel/personal-data'

export async function withOpenedName<Job extends { readonly name: string | null }>(
  openJson: PersonalData['openJson'],
  accountId: string,
  job: Job,
): Promise<Job> {
  if (job.name === null || !maySeal(job.name)) return job
  return { ...job, name: JSON.parse(await openJson(JSON.stringify(job.name), accountId)) as string }
}
