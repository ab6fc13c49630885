import type { components } from './generated/openapi.js'

type Schemas = components['schemas']

export type Report = Schemas['Report']
/** The screening of an address as of a past moment; not a report. */
export type AsOfScreening = Schemas['AsOfScreening']
export type BulkJob = Schemas['BulkJob']
/** A job in a list, without its results. */
export type BulkJobSummary = Schemas['BulkJobSummary']
export type BulkResult = Schemas['BulkResult']
export type WebhookEndpoint = Schemas['WebhookEndpoint']
/** With the secret, which only this answer shows. */
export type NewWebhookEndpoint = Schemas['NewWebhookEndpoint']
export type RotatedWebhookSecret = Schemas['RotatedWebhookSecret']
export type WebhookDelivery = Schemas['WebhookDelivery']
export type AuditEntry = Schemas['AuditEntry']
export type Chain = Schemas['Chain']
export type LabelList = Schemas['LabelList']
/** The policy in force. */
export type ActivePolicy = Schemas['Policy']
export type PolicyDocument = Schemas['PolicyDocument']
export type WhatIf = Schemas['WhatIf']
export type Usage = Schemas['Usage']
export type Watch = Schemas['Watch']
export type WatchedReport = Schemas['WatchedReport']

/** A link to a report, without the link itself. */
export type Share = Schemas['Share']
/** With the link, which only this answer shows. */
export type NewShare = Schemas['NewShare']
export type ReportCase = Schemas['ReportCase']
export type CaseSummary = Schemas['CaseSummary']

/** A document as bytes. */
export interface Download {
  readonly content: Uint8Array
  readonly contentType: string
  /** The name that the service proposes; null if it proposes none. */
  readonly filename: string | null
  readonly etag: string | null
}
