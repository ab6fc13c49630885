/** The bytes of standard base64 with its padding; null if the text has another form. */
export function bytesFromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** The bytes of base64 in the one spelling that an encoder writes; null if the text has another one. */
export function exactBytes(text: string): Uint8Array<ArrayBuffer> | null {
  const bytes = bytesFromBase64(text)
  return bytes !== null && toBase64(bytes) === text ? bytes : null
}

/** Like `exactBytes`, for base64url without padding. */
export function exactUrlBytes(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(text)) return null
  const standard = text.replaceAll('-', '+').replaceAll('_', '/')
  return exactBytes(standard.padEnd(Math.ceil(text.length / 4) * 4, '='))
}
