/** The bytes of standard base64 with its padding; null if the text has another form. */
export function bytesFromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
