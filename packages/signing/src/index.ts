/** The signing keys of the installation, and the hash trees over which it signs (docs/adr/0297). */
export {
  appendLeaf,
  EMPTY_TREE,
  isIncluded,
  leafHash,
  nodeHash,
  rootOf,
  SUBTREE_LEAVES,
  treeRoot,
  wholeTree,
  type Tree,
  type WholeTree,
} from './hash-tree.js'
export {
  contentsHash,
  openDocument,
  signDocument,
  UnsignedDocumentError,
  type ContentsHash,
  type OpenedDocument,
  type SignedDocument,
} from './signed-document.js'
export {
  openNote,
  parseNote,
  signNote,
  UnsignedNoteError,
  type NoteSignature,
  type OpenedNote,
} from './signed-note.js'
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
  purposeOf,
  readSigningKeys,
  rotateSigningKey,
  SigningKeysError,
  type SigningKeys,
  type SigningPurpose,
} from './signing-keys.js'
export {
  SECRET_KEY_BYTES,
  secretKeyFile,
  type SecretKeyFile,
  type SecretKeyKind,
  type SecretKeys,
} from './secret-key-file.js'
export { SIGNATURE_HEADER, signRecords, type SignableRecord } from './records/sign-records.js'
export { createSignatureCheck, type SignatureCheck, type SignatureVerdict } from './records/check-record.js'
