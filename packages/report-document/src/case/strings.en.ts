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
