/** English words of the case of a report. */
export const caseEn = {
  title: 'Case',
  appendixTitle: 'Appendix: the case of this report',
  intro: 'What people wrote and decided about the report. It is not part of the report, which never changes.',
  none: 'Nobody has worked on this report.',
  disposition: 'Disposition',
  dispositions: { open: 'Open', escalated: 'Escalated', cleared: 'Cleared' } as Record<string, string>,
  noDisposition: 'None yet',
  version: 'Version',
  opened: 'Opened',
  changed: 'Last entry',
  assignee: 'Assigned to',
  nobody: 'Nobody',
  left: (name: string) => `${name} (has left: no key works any more)`,
  due: 'Due on',
  noDay: 'No day is set',
  assigned: (name: string, dueOn: string | null) =>
    `assigned to ${name === 'Nobody' ? 'nobody' : name}${dueOn === null ? ', due on no day' : `, due on ${dueOn}`}`,
  attached: 'attached a file',
  file: (name: string, type: string, bytes: string, sha256: string) =>
    `${name} (${type}, ${bytes} bytes, SHA-256 ${sha256})`,
  types: {
    'application/pdf': 'PDF',
    'image/png': 'PNG',
    'image/jpeg': 'JPEG',
    'text/plain': 'text',
  } as Record<string, string>,
  history: 'History',
  key: (keyId: string) => `key ${keyId}`,
  pending: (disposition: string, person: string, at: string) =>
    `${person} proposed "${disposition}" on ${at}. Another person must confirm it.`,
  entry: (at: string, person: string, what: string) => `${at}, ${person}: ${what}`,
  note: 'note',
  set: (disposition: string) => `set to ${disposition}`,
  changedFrom: (from: string, to: string) => `changed from ${from} to ${to}`,
  confirmed: (disposition: string, proposal: number) =>
    `confirmed ${disposition}, as proposed in entry ${proposal}`,
  proposed: (disposition: string) => `proposed ${disposition}`,
  declined: (disposition: string, proposal: number) =>
    `declined ${disposition}, proposed in entry ${proposal}`,
}

/** English words of the dossier of a case. */
export const dossierEn = {
  title: (address: string) => `Case dossier: ${address}`,
  intro:
    'What was found and decided about one subject, to write a filing from. It repeats reports and the case as they are stored, and decides nothing.',
  subject: 'Subject',
  address: 'Address',
  chain: 'Chain',
  reference: 'Customer reference',
  noReference: 'None',
  caseOf: 'Case of the report',
  reports: 'Reports',
  reportsIntro: (isWhole: boolean) =>
    `The report of this case, then the other reports of this address and of this customer reference, newest first.${isWhole ? '' : ' Older ones exist and are not in this dossier.'}`,
  report: (level: string, at: string) => `${level}, ${at}`,
  own: 'The report of this case',
  otherAddress: (address: string, chain: string) => `Address ${address} on ${chain}`,
  reportId: 'Report',
  policy: 'Policy and scorer',
  proof: 'Proof: hash of its leaf',
  log: 'Transparency log',
  noProof: 'It is in no transparency log yet.',
  disposition: 'Disposition',
  reasons: 'Reasons',
  unknown: 'Not known',
  moreReasons: (number: number) => `and ${number} more: the report lists all.`,
  noReasons: 'The report gives none.',
  decisions: 'Decisions',
  moreDecisions: (number: number) => `and ${number} more decisions: the attached dossier.json has all.`,
  files: 'Attached files',
  noFiles: 'No file is attached.',
  fileHead: ['Entry', 'Name', 'Type', 'Bytes', 'SHA-256', 'Attached by', 'At'],
  history: 'Notes, decisions and assignments',
  proofs: 'How to check',
  howToCheck: [
    'The proof of the case (cupel report proof, or GET …/case/proof) shows with the public keys of the installation that every entry and the report are in the transparency log.',
    'The identifier of an entry in the log is the id of the report, a slash, and its number in the history.',
    'Everything that this dossier shows is attached as dossier.json. The same case and reports give the same bytes.',
  ],
} as const
