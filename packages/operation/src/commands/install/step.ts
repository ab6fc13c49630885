/** A step of an installation: it states its changes before it makes them. */
export interface Step {
  readonly name: string
  /** Whether it appends to the log, or depends on the contents of the log. By default it does not. */
  readonly usesLog?: true
  /** One sentence for each change that is needed; empty if everything is in place. Changes nothing. */
  readonly needed: () => Promise<readonly string[]>
  /** Makes the changes; resolves to the changes made. */
  readonly make: (needed: readonly string[]) => Promise<readonly string[]>
}
