/** The personal data of each event, as paths within its data; `[]` stands for every item. docs/personal-data.md describes them. */
import type { EventType } from '@cupel/contracts'
import { keyIdOf } from './sealed-text.js'

const CALL = ['call.clientAddress', 'call.actor'] as const

/** For events that belong to an account. Actions of operators for the whole installation keep the operator's name. */
export const personalFields: Partial<Record<EventType, readonly string[]>> = {
  AccountCreated: ['name', 'createdBy', 'reason'],
  ApiKeyIssued: ['name', 'allowedIps[]', 'issuedBy', 'reason'],
  ApiKeyRevoked: ['revokedBy', 'reason'],
  ApiRequestAudited: ['clientAddress', 'actor'],
  RefusedRequestsCounted: ['clientNetwork'],
  ScreenRequested: ['customerReference', ...CALL],
  ReportGenerated: ['customerReference', 'report.customer_reference'],
  ReportChanged: ['reference'],
  BulkSubmitted: CALL,
  BulkCancelRequested: CALL,
  WatchesCreated: ['watches[].reference', 'actor', ...CALL],
  WatchRemoved: ['actor', ...CALL],
  ReportNoteAdded: ['text', 'actor', ...CALL],
  DispositionChanged: ['reason', 'actor', ...CALL],
  DispositionProposed: ['reason', 'actor', ...CALL],
  DispositionProposalDeclined: ['reason', 'actor', ...CALL],
  ReportShareCreated: ['label', 'actor', ...CALL],
  ReportShareOpened: ['clientAddress', ...CALL],
  ReportShareRevoked: ['actor', ...CALL],
  WebhookEndpointCreated: ['reason', ...CALL],
  WebhookEndpointChanged: ['reason', ...CALL],
  WebhookEndpointDeleted: ['reason', ...CALL],
}

/** These fields name an operator or a key. Only names of operators are personal data and are sealed. */
const OPERATOR = /^operator:/
const operatorFields: Partial<Record<EventType, readonly string[]>> = {
  WebhookEndpointCreated: ['createdBy'],
  WebhookEndpointChanged: ['changedBy'],
  WebhookEndpointDeleted: ['deletedBy'],
}

/** The members of an event's data that hold personal data. */
export function personalMembers(type: EventType): string[] {
  const paths = [...(personalFields[type] ?? []), ...(operatorFields[type] ?? [])]
  return [...new Set(paths.map((path) => path.split('.')[0]!.replace('[]', '')))]
}

/** Whether an event holds unsealed personal data: from before keys were used, or from an installation without keys. */
export function holdsPlainData(type: EventType, data: object): boolean {
  const isPlain = (text: unknown): boolean => typeof text === 'string' && text !== '' && !isHidden(text)
  const isPlainOperator = (text: unknown): boolean => typeof text === 'string' && OPERATOR.test(text)
  return (
    (personalFields[type] ?? []).some((path) => textsAt(data, path).some(isPlain)) ||
    (operatorFields[type] ?? []).some((path) => textsAt(data, path).some(isPlainOperator))
  )
}

/** Whether one of its personal fields is exactly this text, unsealed. */
export function holdsText(type: EventType, data: object, text: string): boolean {
  return (personalFields[type] ?? []).some((path) => textsAt(data, path).includes(text))
}

/** Whether the text is sealed, or is the word for data that arrived after an erasure. */
const isHidden = (text: string): boolean => text === 'erased' || keyIdOf(text) !== null

function textsAt(value: unknown, path: string): unknown[] {
  let found: unknown[] = [value]
  for (const step of path.split('.')) {
    const name = step.replace('[]', '')
    found = found.flatMap((each) => {
      const member = (parsed(each) as Record<string, unknown> | null)?.[name]
      return step.endsWith('[]') ? ((member as unknown[] | undefined) ?? []) : [member]
    })
  }
  return found
}

/** The report of an event is JSON in a string. */
function parsed(value: unknown): unknown {
  return typeof value === 'string' ? (JSON.parse(value) as unknown) : value
}
