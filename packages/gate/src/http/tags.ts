/** The objects of the API: each operation belongs to one. The description and the reference page show them in this order. */
export const tags = {
  Screens: 'Screen one address.',
  Transfers: 'Screen one transfer, planned or made.',
  Reports: 'Read the reports of screens.',
  'Share links': 'Let somebody without a key read one report.',
  Cases: 'Read and add what people write and decide about a report.',
  'Bulk jobs': 'Screen many addresses as one job.',
  Watches: 'Be told when the report of an address changes.',
  Inbox: 'The entries that wait for a person: changes, proposals, failing watches.',
  'Label lists': 'Read which lists screenings rest on, and how old they are. Operators import them.',
  'Own labels': 'Block or allow addresses for the screens of the account.',
  Ledger: 'See what the ledger of transfers holds, and what is missing. For operators of the installation.',
  Policy: 'Read the numbers of the judgement, and try other ones.',
  'Webhook endpoints': 'Name the URLs that are told when a job ends.',
  'Webhook deliveries': 'See what was sent to an endpoint, and send it again.',
  'API keys': 'Issue, change and end the keys of the account. For administrators.',
  'Proposed changes':
    'Propose a change of a key, a list or the policy, and confirm or refuse what another person proposed.',
  Accounts: 'Open accounts. For operators of the installation.',
  Usage: 'Read how often the account’s keys are used.',
  Sessions: 'Sign a person in with a key, and out.',
  'Audit log': 'Read the calls made with the account’s keys.',
  'Transparency log': 'Read what shows that nothing recorded was changed.',
  Chains: 'Read which chains are supported.',
  Documentation: 'Read this description.',
  Health: 'Ask whether an instance works. For those who run it.',
} as const

export type Tag = keyof typeof tags
