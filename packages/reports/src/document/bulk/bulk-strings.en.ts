/** Every text of the summary of a bulk job in English. */
import { count, grouped } from '../counting.js'

export const bulkEn = {
  title: (jobId: string) => `Bulk screening ${jobId}`,
  headline: (addresses: number, parts: readonly string[]) =>
    `${count(addresses, 'address', 'addresses')}: ${parts.join(', ')}`,
  part: (number: number, word: string) => `${grouped(number)} ${word.toLowerCase()}`,
  outcomes: { failed: 'Without a report', cancelled: 'Cancelled' },
  statuses: {
    completed: 'Completed',
    completed_with_errors: 'Completed, with addresses that have no report',
    cancelled: 'Cancelled before its end',
    failed: 'The job could not run',
  } as Readonly<Record<string, string>>,
  cautions: {
    cancelled: (number: number) =>
      `${count(number, 'address was', 'addresses were')} not screened, because the job was cancelled.`,
    failed: (number: number) =>
      `${count(number, 'address has', 'addresses have')} no report. That says nothing about the risk of ${number === 1 ? 'it' : 'them'}.`,
    lowerBounds: (number: number) =>
      `The score of ${count(number, 'address', 'addresses')} may be too low: something that it needs was missing.`,
    nothing: 'No address of this job has a report.',
  },
  reference: (reference: string) => `Reference: ${reference}`,
  fields: {
    name: 'Name',
    jobId: 'Job',
    status: 'Status',
    submitted: 'Submitted',
    ended: 'Ended',
    results: 'All results',
  },
  levels: {
    title: 'Levels',
    head: ['Outcome', 'Addresses', 'Share'],
    intro: 'Each address is counted once for each time that it was submitted.',
  },
  worst: {
    title: 'Look at these first',
    intro: 'The addresses that are not green, worst first: red, orange, grey, each by score.',
    nothing: 'Every address with a report is green.',
    head: ['Number', 'Address', 'Chain', 'Level', 'Score', 'Because', 'Report'],
    more: (number: number) =>
      `and ${count(number, 'more address', 'more addresses')} that ${number === 1 ? 'is' : 'are'} not green: the attached results list all.`,
  },
  grey: {
    title: 'Why grey',
    intro: 'An address can have several reasons.',
    head: ['Reason', 'Addresses'],
  },
  failures: {
    title: 'Addresses without a report',
    head: ['Reason', 'Addresses', 'First numbers'],
    itemHead: ['Number', 'Address', 'Reason'],
    more: (number: number) =>
      `and ${count(number, 'more address', 'more addresses')}: the attached results list all.`,
  },
  provenance: {
    title: 'Provenance',
    policies: 'Policy',
    scorers: 'Scorer',
    labels: 'State of the labels',
    decided: 'Decided',
    between: (first: string, last: string) => (first === last ? first : `${first} to ${last}`),
    others: (number: number) => `and ${grouped(number)} more`,
    howToCheck: [
      'The results are attached as results.json: one entry for each address in the order of the submission, with number, reference, level, score and report.',
      'A number is the place of an address in the submission, from 1, on every page and in every file. Each report is under its link for ever, and has a PDF of its own.',
      'The summary counts what the reports say. It decides nothing.',
    ],
  },
}
