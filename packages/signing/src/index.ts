/** The signing keys of the installation, and the hash trees over which it signs (docs/adr/0297). */
export {
  appendLeaf,
  EMPTY_TREE,
  leafHash,
  rootOf,
  sha256,
  SUBTREE_LEAVES,
  treeRoot,
  type Tree,
} from './hash-tree.js'
export {
  contentsHash,
  openDocument,
  signDocument,
  UnsignedDocumentError,
  type OpenedDocument,
} from './signed-document.js'
export { openNote, parseNote, signNote, UnsignedNoteError, type NoteSignature } from './signed-note.js'
export {
  keyNamed,
  openSigner,
  parseVerifierKey,
  verifier,
  verifierKey,
  type PublicKey,
  type Signer,
  type Verifier,
} from './signing-key.js'
export {
  createSigningKeys,
  readSigningKeys,
  rotateSigningKey,
  SigningKeysError,
  type SigningKeys,
} from './signing-keys.js'
export { secretKeyFile, type SecretKeys } from './secret-key-file.js'
export { SIGNATURE_HEADER, signRecords, type SignableRecord } from './records/sign-records.js'
export { createSignatureCheck, type SignatureVerdict } from './records/check-record.js'
