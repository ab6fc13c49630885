/** The demo as the API returns it. */
export interface Demo {
  /** off, loading, on or removing; a later version may have others. */
  readonly status: string
  /** Why the last change came to nothing. */
  readonly fault: string | null
  readonly addresses: readonly { readonly address: string; readonly title: string }[]
}

export const API_DEMO = '/v1/demo'

export const isChanging = ({ status }: Pick<Demo, 'status'>): boolean =>
  status === 'loading' || status === 'removing'
