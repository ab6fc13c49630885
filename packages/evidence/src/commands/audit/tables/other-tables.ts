/** Every table that `audit verify` neither rebuilds from events nor compares row by row: what it compares it with, or why a change is out of its reach. */

/** Compared with the events of imports, by their rows or by the sums of their rows. */
export const ledgerTables: readonly string[] = [
  'ledger.segment',
  'ledger.address',
  'ledger.contract',
  'ledger.store_run',
  'ledger.transfer',
  'ledger.transaction_place',
  'ledger.block',
  'ledger.cluster_join',
  'ledger.owner_address',
  'ledger.price_import',
  'ledger.price',
  'ledger.unreadable_row',
  'ledger.unknown_token',
]

/** Compared with the published files, the signed checkpoints and the records. */
export const treeTables: readonly string[] = [
  'transparency.log',
  'transparency.place',
  'transparency.leaf',
  'transparency.subtree',
]

const LOG = 'It is the log, whose records are compared with their leaves.'
const WORK = 'It is work under way: what became of it is in the log, as events and reports.'
const LOCAL = 'It states nothing of the past: it is made again, or ends by itself.'
const SECRET =
  'No event states a secret or a hash of one. Whoever writes another one can use it; what was given out before then stops working.'
const HISTORY = 'It is read only of a file of one address.'
const COSIGNING = 'The projector writes it again; `--witness` checks the cosignatures themselves.'
const NO_LOG = 'A row of no log, which nothing reads.'
/** How a watch stands, which its reports and the events of its changes tell. */
const WATCHING: readonly string[] = [
  ...['report_id', 'level', 'score', 'reported_at', 'awaits_lists', 'due_at', 'causes', 'failures'],
  ...['pending_report_id', 'pending_causes', 'told_report_id', 'told_level', 'told_score'],
  ...['digest_report_id', 'digest_level', 'digest_score', 'digest_day'],
]
const POSITIONS = 'Positions of readers: the tables that the readers write are compared.'

/** Tables whose rows are not compared, and columns of compared tables that no event states: the reason, or what else shows a change. */
export const outOfReach: Readonly<Record<string, string>> = {
  'log.schema': 'A record that its schema does not decode is named.',
  'log.schema_version': 'A record that its schema does not decode is named.',
  'log.identity': 'The genesis record states it, and `--expect-log` compares it.',
  'log.topic_partition': LOG,
  'log.record': LOG,
  'log.group_member': LOCAL,
  'log.group_lease': LOCAL,
  'log.record_key': SECRET,
  'log.own_log': 'A reader of another log says so, and `--expect-log` compares its identity.',
  'log.restoration': LOCAL,
  'projection.retired_month':
    'The log states which months may be without their documents, and `audit verify` reads it there.',
  'projection.retention_run': LOCAL,
  'transparency.archive': 'Each run of `cupel archive create` reads the archive itself.',
  'transparency.witness': 'Witnesses keep what they cosigned; `--witness` asks for their cosignatures.',
  'transparency.published_key': 'The log states every published key.',
  // Columns of compared tables.
  'access.api_key.key_hash': SECRET,
  'report_view.report.document_mac':
    'A reader whose MAC does not hold reads the record and counts the row. A rebuild after a rotation of keys writes other MACs.',
  'sharing.share.token_digest': SECRET,
  'sharing.share.window_started_at': LOCAL,
  'sharing.share.window_opens': LOCAL,
  'webhooks.endpoint.url': 'Events state its origin: its path may hold a secret of the receiver.',
  'webhooks.endpoint.sealed_secret': SECRET,
  'webhooks.endpoint.sealed_previous_secret': SECRET,
  'webhooks.endpoint.previous_secret_expires_at': SECRET,
  'watches.watch.created_at': 'The event has the time of its call, some milliseconds later.',
  ...Object.fromEntries(WATCHING.map((column) => [`watches.watch.${column}`, WORK])),
  'ledger.segment.started_at': LOCAL,
  'ledger.segment.last_at_s': 'Only an import under way reads it: what came of it is in its event.',
  'ledger.segment.history_provider': HISTORY,
  'ledger.segment.history_height': HISTORY,
  'ledger.segment.history_hash': HISTORY,
  'ledger.segment.history_at_s': HISTORY,
  'ledger.segment.history_incomplete': HISTORY,
  'ledger.price.sha256': 'No import names such a table of prices, so that nothing reads it.',
  'transparency.log.cosigned_size': COSIGNING,
  'transparency.log.cosigned_at': COSIGNING,
  'transparency.log.checked_at': COSIGNING,
  'transparency.log.stopped': COSIGNING,
  'transparency.log.number': NO_LOG,
  'transparency.place.number': NO_LOG,
  'transparency.leaf.number': NO_LOG,
  'transparency.subtree.number': NO_LOG,
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
  'watches.batch': LOCAL,
  'watches.progress': WORK,
  'watches.digest': WORK,
  'watches.read_entry':
    'It says only what a person has looked at. An entry of the inbox without it is unread again.',
  'ledger.follower': LOCAL,
  'ledger.compared': 'A process believes it only with a MAC of the record keys, and compares its rows again.',
  'ledger.history_call': LOCAL,
  'ledger.history_call_of_account': LOCAL,
  'ledger.history_progress': LOCAL,
  'ledger.provided_chain': 'A scorer notes its chains again when it starts.',
  'labels.refreshed_list': LOCAL,
  'labels.list_order': LOCAL,
  'labels.list_order_part': LOCAL,
  'labels.spool': LOCAL,
  'heartbeats.process': LOCAL,
  'heartbeats.dwell': LOCAL,
  'heartbeats.compared_rows': LOCAL,
  'public.cupel_migration': 'The doctor compares the tables with those of this version.',
}
