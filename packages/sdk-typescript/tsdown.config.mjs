import { defineConfig } from 'tsdown'

/** One file for each module system, with its types. Workspace conditions play no part: the package has no dependencies. */
export default defineConfig({
  entry: 'src/index.ts',
  outDir: 'dist/package',
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  dts: true,
  sourcemap: true,
  fixedExtension: true,
  tsconfig: 'tsconfig.build.json',
  // Comments are for readers of the sources, which are in the package; names stay, for stack traces.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
})
