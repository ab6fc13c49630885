/** What the installation signs with, and the hash trees over which it signs (docs/adr/0317). */
export {
  appendLeaf,
  EMPTY_TREE,
  inclusionPath,
  isIncluded,
  leafHash,
  nodeHash,
  rootOf,
  SUBTREE_LEAVES,
  treeRoot,
  type Tree,
} from './hash-tree.js'
export { openNote, signNote, UnsignedNoteError, type OpenedNote } from './signed-note.js'
export {
  openSigner,
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
