/** Named values. */
import type { Field } from '@cupel/reports/document'
import { Amount } from './amount.js'

export function FieldList({ fields }: { readonly fields: readonly Field[] }) {
  if (fields.length === 0) return null
  return (
    <dl class="fields">
      {fields.map(({ label, value, isCode, isAmount, words, href }, index) => (
        <div key={index}>
          <dt>{label}</dt>
          <dd dir="auto">
            {words === undefined ? null : `${words}: `}
            {href === undefined ? (
              isAmount === true ? (
                <Amount full={value} />
              ) : (
                <Value value={value} isCode={isCode === true} />
              )
            ) : (
              <a href={href} rel="noreferrer noopener">
                <Value value={value} isCode={isCode === true} />
              </a>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value, isCode }: { readonly value: string; readonly isCode: boolean }) {
  return isCode ? <code data-copy>{value}</code> : <>{value}</>
}
