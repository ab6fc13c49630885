/** Client of Cupel. `new Cupel()` reads CUPEL_API_KEY and CUPEL_BASE_URL. */
export { Cupel, type ReportOptions, type ScreenOptions, type UsageDayOptions } from './cupel.js'
export type { Clock, CupelOptions, Fetch } from './settings.js'
export type { AnswerEvent, AttemptEvent, Hooks, RetryEvent } from './hooks.js'
export type { CallOptions, KeyedCallOptions } from './transport/call.js'
export { ItemList } from './item-list.js'
export type { Download, Page } from './answers.js'
export type { ListOptions, Time } from './resources/list-of.js'
export type { ReportListOptions, Reports, ShareOptions } from './resources/reports.js'
export type { Bulk, BulkResultsOptions, BulkSubmitOptions, BulkWaitOptions } from './resources/bulk.js'
export type {
  DeliveryListOptions,
  RedeliverOptions,
  WebhookEndpointChange,
  WebhookEndpointFields,
  WebhookEndpoints,
} from './resources/webhook-endpoints.js'
export type { Accounts, NewAccountOptions } from './resources/accounts.js'
export type {
  ApiKeyChange,
  ApiKeyListOptions,
  Keys,
  NewApiKeyFields,
  RevokeKeyOptions,
  RotateKeyOptions,
} from './resources/keys.js'
export type { AuditLog, AuditLogOptions } from './resources/audit-log.js'
export type {
  Assignment,
  AttachOptions,
  CaseListOptions,
  Cases,
  Disposition,
  NoteOptions,
} from './resources/cases.js'
export type { Chains } from './resources/chains.js'
export type { Inbox, ListInboxOptions } from './resources/inbox.js'
export type { ConfirmImportOptions, ListImports, NewListImport } from './resources/list-imports.js'
export type { Ledger, LedgerImportListOptions } from './resources/ledger.js'
export type { LabelSearchOptions, Lists } from './resources/lists.js'
export type { Log } from './resources/log.js'
export type { NewOwnLabel, OwnLabelListOptions, OwnLabels } from './resources/own-labels.js'
export type { Policy, WhatIfOptions } from './resources/policy.js'
export type { ProposedChangeListOptions, ProposedChanges } from './resources/proposed-changes.js'
export type { NewTransfer, TransferListOptions, TransferOptions, Transfers } from './resources/transfers.js'
export type { NewWatch, Watches } from './resources/watches.js'
export { ReportReducer, type ReportState, type SubscribedEvent, type Taken } from './events/report-reducer.js'
export {
  RecordVerifier,
  type ReceivedRecord,
  type RecordHeader,
  type RecordVerifierOptions,
} from './evidence/record-verifier.js'
export { verifyProof, type ProvenReport } from './evidence/verify-proof.js'
export type { ProvenEntry } from './evidence/case-entries.js'
export { webhooks, type VerifyOptions, type WebhookBody, type WebhookHeaders } from './webhooks/verify.js'
export type {
  BulkCancelledMessage,
  BulkCompletedMessage,
  BulkEnd,
  BulkResultSummary,
  EndpointTestMessage,
  ReportChange,
  ReportChangedMessage,
  FailedWatch,
  ScreenedTransfer,
  TransferScreenedMessage,
  WatchDigest,
  WatchesDigestMessage,
  WatchFailedMessage,
  DigestedChange,
  FailingWatch,
  LevelReason,
  ReportSummary,
  WebhookMessage,
} from './webhooks/messages.js'
export * from './errors.js'
export * from './generated/problem-errors.js'
export type * from './generated/models.js'
export type { Policy as ActivePolicy } from './generated/models.js'
export { version } from './version.js'
