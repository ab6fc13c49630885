/** The bytes of standard base64 with its padding; null if the text has another form. */
export function bytesFromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

/** A character for each byte. In pieces, because a call takes a limited number of arguments. */
export function latin1Text(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return text
}

export const toBase64 = (bytes: Uint8Array): string => btoa(latin1Text(bytes))

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
