/** Data that the browser keeps only for this console: an encrypted JWT in a cookie. All instances with the secret can open it. */
import { hkdfSync } from 'node:crypto'
import { EncryptJWT, errors, jwtDecrypt, type JWTPayload } from 'jose'

export interface Seal<Content extends object> {
  seal(content: Content): Promise<string>
  /** Null where the text is not ours, was changed or has expired. */
  open(text: string): Promise<Content | null>
}

const KEY_BYTES = 32

/** `purpose`: a text sealed for one purpose is refused for any other. */
export function createSeal<Content extends object>(
  secret: string,
  { purpose, lifetimeSeconds }: { readonly purpose: string; readonly lifetimeSeconds: number },
): Seal<Content> {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', purpose, KEY_BYTES))
  return {
    seal: (content) =>
      new EncryptJWT({ ...content } as JWTPayload)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(purpose)
        .setExpirationTime(`${lifetimeSeconds}s`)
        .encrypt(key),
    async open(text) {
      try {
        const { payload } = await jwtDecrypt(text, key, {
          ...{ audience: purpose, requiredClaims: ['exp'] },
          ...{ keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
        })
        return payload as unknown as Content
      } catch (error) {
        if (error instanceof errors.JOSEError) return null
        throw error
      }
    },
  }
}
