// Checks that the SDKs mark every deprecated operation of the API description: their reference says so at each method that calls it.

const camel = (name) => name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase())

/**
 * One sentence for each deprecated method that does not say so; empty if all do.
 *
 * @param {{ paths: Record<string, Record<string, { deprecated?: boolean }>> }} document The API description.
 * @param {{ steps: { call: string }[], requests: unknown }[]} cases Conformance cases: they show the calls of each method.
 * @param {Record<string, string>} pages Reference pages by their language.
 */
export function undeclaredDeprecations(document, cases, pages) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { deprecated }]) =>
      deprecated === true ? [{ method: method.toUpperCase(), path }] : [],
    ),
  )
  return operations.flatMap((operation) =>
    callsOf(operation, cases).flatMap((call) =>
      Object.entries(pages).flatMap(([language, page]) =>
        /^Deprecated: /m.test(entryOf(page, call))
          ? []
          : [
              `${operation.method} ${operation.path} is deprecated; the ${language} SDK's ${call} does not say so.`,
            ],
      ),
    ),
  )
}

/** Methods whose only step makes this call. */
function callsOf({ method, path }, cases) {
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  const calls = cases.flatMap(({ steps, requests }) => {
    const first = Array.isArray(requests) ? requests[0] : undefined
    const isOne = steps.length === 1 && first?.method === method && pattern.test(first.path ?? '')
    return isOne ? [steps[0].call] : []
  })
  return [...new Set(calls)]
}

/** The part of a page about one method; empty if there is none. */
function entryOf(page, call) {
  const names = new Set([`cupel.${call}`, `cupel.${camel(call)}`])
  return page.split(/^### /m).find((part) => names.has(part.split('\n', 1)[0])) ?? ''
}
