/** The page behind the `type` of a problem: what it means, whether a repeat makes sense, and which operations answer with it. */
import { problemCodes, type ProblemCode, type RetryAdvice } from '@cupel/contracts'
import { problemExample, inlineReferences, markup, backToDocs, shell } from '../http/index.js'
import { entriesOf, type Description, type Entry } from './description.js'

const advice: Readonly<Record<RetryAdvice, string>> = {
  never: 'The same call is answered like this again.',
  later: 'Repeat the call later; where the answer has Retry-After, after that many seconds.',
  'after-fix':
    'Change what the answer names, then call again. An unchanged call is answered like this again.',
}

export const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(problemCodes, code)

/** Whole HTML documents. `description` is an OpenAPI document as `describeApi` makes it; it is read once. */
export function problemPages(description: object): (code: ProblemCode) => string {
  const entries = entriesOf(inlineReferences(description as Description, ['responses', 'examples']))
  return (code) => renderProblemPage(entries, code)
}

function renderProblemPage(entries: readonly Entry[], code: ProblemCode): string {
  const { status, title, retry } = problemCodes[code]
  const operations = entries.filter(({ operation }) =>
    Object.values(operation.responses).some(({ content = {} }) =>
      Object.values(content).some(({ examples = {} }) => Object.hasOwn(examples, code)),
    ),
  )
  const content = markup`<h1>${title}</h1>
    <p>The problem <code>${code}</code> has the status ${status}. ${advice[retry]}</p>
    <h2>Example</h2>
    <pre tabindex="0"><code>${JSON.stringify(problemExample(code), null, 2)}</code></pre>
    <h2>Operations that answer with it</h2>
    <ul>
      ${operations.map(
        ({ operation }) => markup`<li><a href="/docs#${operation.operationId}">${operation.summary}</a></li>`,
      )}
    </ul>`
  return shell({ title: `${title} (${code})`, nav: backToDocs(), content })
}
