// Text for a shell script, so that no character of it has a meaning there.

/** Quotes text for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
