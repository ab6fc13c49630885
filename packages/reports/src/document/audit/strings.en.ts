/** English words of the PDF of an audit. */
const reports = (count: number): string =>
  count === 1 ? '1 report' : `${count.toLocaleString('en-US')} reports`

export const auditEn = {
  title: (log: string | null) =>
    `Audit of ${log === null ? 'a log' : `the log ${log}`}: reports decided again`,
  count: (count: number) => count.toLocaleString('en-US'),
  headlines: {
    proven: (count: number, levels: string) =>
      `Nothing differs. ${reports(count)} ${count === 1 ? 'was' : 'were'} decided again, at ${levels}.`,
    differs: (count: number, levels: string, [differing, failed]: readonly [number, number]) =>
      `Not proven. Of ${reports(count)} at ${levels}, ${differing.toLocaleString('en-US')} ${differing === 1 ? 'result differs' : 'results differ'} and ${failed.toLocaleString('en-US')} could not be decided again.`,
    notWhole: 'Not proven. Nothing differs in what is left of the log, but records before it were deleted.',
    empty: 'Nothing is proven: there is no report that was asked for.',
    tooFew: (count: number, expected: number) =>
      `Not proven. The log has ${reports(count)}, and at least ${expected.toLocaleString('en-US')} are expected.`,
  },
  levelNames: (levels: readonly string[]) =>
    levels.length === 1
      ? `level ${levels[0]}`
      : `levels ${levels.slice(0, -1).join(', ')} and ${levels.at(-1)}`,
  cautions: {
    unsigned: (why: string) => `This PDF is not signed. ${why}`,
    resumed: (count: number) =>
      `${reports(count)} ${count === 1 ? 'was' : 'were'} decided by an earlier run that was cut off. They are taken from its state file, which anybody who could write it could change.`,
    withoutMacs:
      'MACs of records were not checked: this command had no record keys. A record that another producer wrote counts like one of the installation.',
    sinceOrReport: 'Only a part of the reports was asked for.',
  },
  asked: {
    title: 'What was asked',
    command: 'Command',
    installation: 'Installation',
    unknown: 'Not known to the command',
    logName: 'Log',
    source: 'Source',
    log: 'The log itself',
    archive: (place: string) => `The archive ${place}`,
    manifest: 'Manifest',
    manifestOf: (number: number, time: string, keyId: string) =>
      `${number} of ${time}, signed by the key ${keyId}`,
    manifestDigest: 'SHA-256 of the manifest',
    keys: 'SHA-256 of the given keys',
    homeKeys: 'Those of the installation in the home',
    levels: 'Levels',
    range: 'Reports',
    all: 'All',
    since: (time: string) => `Those recorded from ${time} on`,
    one: (id: string) => `Only ${id}`,
    expectedLog: 'Expected log',
    minReports: 'Expected reports',
    atLeast: (count: number) => `At least ${count.toLocaleString('en-US')}`,
  },
  levels: {
    A: 'From its record and the events that the record names by hash: the same bytes',
    B: 'Labels, lists and policy read again, as of the state that the record names: the same inputs',
    C: 'Exposure measured again on the ledger: the same amounts',
  } as Record<string, string>,
  counts: {
    title: 'What was found',
    head: ['Level', 'Same', 'Differs', 'Failed', 'Not derivable', 'Nothing recorded'],
    meaning: [
      'Failed: the report could not be decided again. It never counts as the same.',
      'Not derivable: what the report was derived from is gone, so that nothing is proven of it at this level.',
      'Nothing recorded: the report rests on nothing of this level.',
    ],
    erased: 'Erased references',
    erasedText: (count: number) =>
      count === 0
        ? 'None'
        : `${reports(count)}: the reference is sealed in the record, and nobody can open it. The rest of the record is checked.`,
  },
  findings: {
    title: 'Differences and what cannot be proven',
    none: 'None.',
    head: ['Report', 'Level', 'Result', 'Place in the log', 'What'],
    place: (topic: string, partition: number, offset: number) => `${topic}/${partition} at ${offset}`,
    statuses: { differs: 'Differs', failed: 'Failed', 'not-derivable': 'Not derivable' } as Record<
      string,
      string
    >,
    morePaths: (count: number) => `and ${count} more`,
    more: (count: number) =>
      `${count.toLocaleString('en-US')} more ${count === 1 ? 'is' : 'are'} in the attached answer.`,
    omitted: (count: number) =>
      `${count.toLocaleString('en-US')} more ${count === 1 ? 'was' : 'were'} counted and not listed (--limit lists them).`,
  },
  fronts: {
    title: 'Records that were deleted',
    intro: 'These partitions do not begin at offset 0: reports may be gone with the records before.',
    head: ['Partition', 'Begins at offset'],
  },
  versions: {
    title: 'Who decided',
    head: ['What', 'Version', 'Reports'],
    scorer: 'Scorer',
    policy: 'Policy',
    others: 'Further ones, not listed',
  },
  read: {
    title: 'What was read',
    head: ['Topic', 'Partitions', 'Records'],
  },
  provenance: {
    title: 'This document',
    madeAt: 'Made',
    madeBy: 'Made by',
    release: 'Version of the command',
    duration: 'Duration',
    durationText: (seconds: number, cpuSeconds: number) =>
      `${seconds.toLocaleString('en-US')} s, with ${cpuSeconds.toLocaleString('en-US')} s of CPU`,
    signature: 'Signature',
    signed: (keyId: string) => `Beside this file, by the key ${keyId}`,
    unsigned: 'None',
    digest: 'SHA-256 of statement.json',
  },
  howToCheck: [
    'statement.json, attached to this file, has the question and the whole answer. Its SHA-256 is above.',
    'The signature is the file of the same name with .sig. It names the SHA-256 of this PDF and of statement.json: sha256sum shows whether they are the same.',
    'cupel verify FILE.pdf FILE.pdf.sig --key KEYS checks it offline. KEYS are the public keys that the operator gives (cupel log signing-keys). The signature is a signed note of C2SP with Ed25519, which other programs check too.',
    'The signature shows who made this document and that it was not changed. It does not show that the answer is right: run the same command over the same log or archive.',
  ],
}
