/** Every table that `audit verify` does not rebuild from events or compare with them, and what shows a change of it instead. */

const LOG = 'It is the log, whose records are compared with their leaves.'
const TREE = 'It is compared with the published files, the signed checkpoints and the records.'
const LEDGER =
  '`audit recompute --level C` derives exposure from the imported files again; a loss shows as a missing segment.'
const STATED_LEDGER = 'It is compared with the events of imports.'
const WORK = 'It is work under way: what became of it is in the log, as events and reports.'
const LOCAL = 'It states nothing of the past: it is made again, or ends by itself.'
const SECRET =
  'No event states a secret or a hash of one. Another one opens nothing that was sealed, and no key that was issued.'
const POSITIONS = 'Positions of readers: the tables that the readers write are compared.'

export const otherTables: Readonly<Record<string, string>> = {
  'log.schema': 'A record that its schema does not decode is named.',
  'log.schema_version': 'A record that its schema does not decode is named.',
  'log.identity': 'The genesis record states it, and `--expect-log` compares it.',
  'log.topic_partition': LOG,
  'log.record': LOG,
  'log.group_member': LOCAL,
  'log.group_lease': LOCAL,
  'log.record_key': SECRET,
  'log.macs_required': 'A record without a MAC has a leaf, or is named: an inserted one has none.',
  'log.restoration': LOCAL,
  'transparency.log': TREE,
  'transparency.place': TREE,
  'transparency.leaf': TREE,
  'transparency.subtree': TREE,
  'transparency.witness': 'Witnesses keep what they cosigned; `--witness` asks for their cosignatures.',
  'transparency.published_key': 'The log states every published key.',
  'projection.checkpoint': POSITIONS,
  'projection.read_model': POSITIONS,
  'projection.outbox': 'An event in it is appended once, and then has a leaf.',
  'projection.outbox_right': '`cupel doctor` compares it with the rights of the services.',
  'personal_data.account_key': SECRET,
  'personal_data.reference_key': SECRET,
  'access.installation_secret': SECRET,
  'access.report_number': 'A number that is given out twice is a report id that the log has twice.',
  'access.pending_screen': LOCAL,
  'access.key_usage': LOCAL,
  'access.idempotency': LOCAL,
  'access.session': LOCAL,
  'access.spent_id_token': LOCAL,
  'access.auth_failure': LOCAL,
  'access.bucket': LOCAL,
  'access.bucket_epoch': LOCAL,
  'access.open_job': WORK,
  'bulk.job': WORK,
  'bulk.unit': WORK,
  'bulk.early_outcome': WORK,
  'bulk.lease': LOCAL,
  'webhooks.body': WORK,
  'webhooks.delivery': WORK,
  'webhooks.attempt': WORK,
  'webhooks.destination': LOCAL,
  'watches.watch': WORK,
  'watches.batch': LOCAL,
  'watches.progress': WORK,
  'watches.digest': WORK,
  'ledger.segment': STATED_LEDGER,
  'ledger.transfer': LEDGER,
  'ledger.transaction_place': LEDGER,
  'ledger.block': LEDGER,
  'ledger.cluster_join': LEDGER,
  'ledger.owner_address': LEDGER,
  'ledger.price_import': STATED_LEDGER,
  'ledger.price': STATED_LEDGER,
  'ledger.provided_chain': LEDGER,
  'ledger.unreadable_row': LEDGER,
  'ledger.unknown_token': LEDGER,
  'labels.refreshed_list': LOCAL,
  'labels.spool': LOCAL,
  'heartbeats.process': LOCAL,
  'heartbeats.dwell': LOCAL,
  'public.cupel_migration': 'The doctor compares the tables with those of this version.',
}
