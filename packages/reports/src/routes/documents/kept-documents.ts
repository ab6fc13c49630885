/**
 * Rendered documents that are asked for again. A name is a hash of what a document shows, so nobody finds a document whose personal data was
 * erased. If there is no room, the oldest document of the account that has the most bytes goes: whoever reads many displaces its own.
 */
export interface KeptDocuments {
  get(accountId: string, name: string): Uint8Array | undefined
  keep(accountId: string, name: string, bytes: Uint8Array): void
}

/** Some two hundred reports. */
const MAX_BYTES = 33_554_432
/** A larger document would displace many. */
const MAX_DOCUMENT_BYTES = MAX_BYTES / 16

interface Shelf {
  /** The one that was read longest ago is the first. */
  readonly documents: Map<string, Uint8Array>
  bytes: number
}

export function createKeptDocuments(
  maxBytes = MAX_BYTES,
  maxDocumentBytes = MAX_DOCUMENT_BYTES,
): KeptDocuments {
  const shelves = new Map<string, Shelf>()
  let bytesOfAll = 0

  function add(accountId: string, shelf: Shelf, bytes: number): void {
    shelf.bytes += bytes
    bytesOfAll += bytes
    if (shelf.documents.size === 0) shelves.delete(accountId)
  }

  function makeRoom(): void {
    while (bytesOfAll > maxBytes) {
      const [accountId, fullest] = [...shelves].reduce((one, other) =>
        other[1].bytes > one[1].bytes ? other : one,
      )
      const [[name, { byteLength }]] = [...fullest.documents] as [[string, Uint8Array]]
      fullest.documents.delete(name)
      add(accountId, fullest, -byteLength)
    }
  }

  return {
    get(accountId, name) {
      const documents = shelves.get(accountId)?.documents
      const found = documents?.get(name)
      if (found === undefined) return undefined
      documents!.delete(name)
      documents!.set(name, found)
      return found
    },
    keep(accountId, name, bytes) {
      const shelf = shelves.get(accountId) ?? { documents: new Map<string, Uint8Array>(), bytes: 0 }
      if (bytes.byteLength > maxDocumentBytes || shelf.documents.has(name)) return
      shelves.set(accountId, shelf)
      shelf.documents.set(name, bytes)
      add(accountId, shelf, bytes.byteLength)
      makeRoom()
    },
  }
}
