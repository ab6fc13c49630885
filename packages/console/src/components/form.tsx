/** A form that is posted, with the token that ties it to this browser. */
import type { ComponentChildren } from 'preact'
import type { PageCall } from '../server/page.js'

interface FormProps {
  readonly call: Pick<PageCall, 'csrf'>
  /** A path of the console. */
  readonly action: string
  /** For forms with files. */
  readonly isMultipart?: boolean
  readonly class?: string
  readonly id?: string
  readonly children: ComponentChildren
}

export function Form({ call, action, isMultipart = false, children, ...rest }: FormProps) {
  return (
    <form
      method="post"
      action={action}
      {...(isMultipart ? { enctype: 'multipart/form-data' } : {})}
      {...rest}
    >
      <input type="hidden" name="csrf" value={call.csrf()} />
      {children}
    </form>
  )
}
