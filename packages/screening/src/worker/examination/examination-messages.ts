/** What the process and a thread of examinations tell each other. */
import type { Database } from '@cupel/postgres'
import type { Examined, Examiner, ExaminationOrder } from './examiner.js'

export interface ThreadData {
  readonly connection: Database['connection']
}

/** The label sets are null if they are those of the order before: a state of lists names every listed party. */
export type SentOrder = Omit<ExaminationOrder, 'labelSets'> & {
  readonly labelSets: ExaminationOrder['labelSets'] | null
}

export type ToThread =
  | { readonly kind: keyof Examiner; readonly id: number; readonly order: SentOrder }
  | { readonly kind: 'close' }

export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'examined'; readonly id: number; readonly examined: Examined<unknown> }
  /** Of an error only its name and message reach the process. */
  | { readonly kind: 'fault'; readonly id: number; readonly name: string; readonly message: string }
