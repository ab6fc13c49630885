/** Condition of package exports under which packages are their sources. */
export declare const CONDITION: string
/** Path of the bundle of the program, made if there is none, or a source or a version of a package has changed since. */
export declare function bundledProgram(source: string): Promise<string>
