/** The name of a set as one text. */

/** Key of every record of a set. */
export function setKey({ source, dataset }: { readonly source: string; readonly dataset: string }): string {
  return `${source}/${dataset}`
}
