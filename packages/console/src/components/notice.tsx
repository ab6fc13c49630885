/** A message to the reader above the content. */
import type { ComponentChildren } from 'preact'

interface NoticeProps {
  /** `fault` is announced at once to people who do not see the page. */
  readonly kind: 'done' | 'fault' | 'hint'
  readonly children: ComponentChildren
}

const signs = { done: '✓', fault: '!', hint: 'i' } as const

export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice notice-${kind}`} role={kind === 'fault' ? 'alert' : 'status'}>
      <span class="sign" aria-hidden="true">
        {signs[kind]}
      </span>
      <div>{children}</div>
    </div>
  )
}
