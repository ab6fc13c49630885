/** Personal data of events, by the facts of schemas/subjects.json. docs/personal-data.md describes it. */
import { factsOf, type EventType } from '@cupel/contracts'
import { keyIdOf } from './sealed-text.js'

/** An operator field may name a key too. Only names of operators are personal data and are sealed. */
const OPERATOR = /^operator:/

/** The members of an event's data that hold personal data. */
export function personalMembers(type: EventType): string[] {
  const { personal, operators } = factsOf(type)
  return [...new Set([...personal, ...operators].map((path) => path.split('.')[0]!.replace('[]', '')))]
}

/** Whether an event holds unsealed personal data: from before keys were used, or from an installation without keys. */
export function holdsPlainData(type: EventType, data: object): boolean {
  const isPlain = (text: unknown): boolean => typeof text === 'string' && text !== '' && !isHidden(text)
  const isPlainOperator = (text: unknown): boolean => typeof text === 'string' && OPERATOR.test(text)
  const { personal, operators } = factsOf(type)
  return (
    personal.some((path) => textsAt(data, path).some(isPlain)) ||
    operators.some((path) => textsAt(data, path).some(isPlainOperator))
  )
}

/** Whether one of its personal fields is exactly this text, unsealed. */
export function holdsText(type: EventType, data: object, text: string): boolean {
  return factsOf(type).personal.some((path) => textsAt(data, path).includes(text))
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
